import Dispatch
import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// `didFinishCollecting`: what happened when.
@Suite(.timeLimit(.minutes(2)))
struct MetricsTests {
  @Test("Each exchange is one entry, in order, with times that follow each other")
  func entries() async throws {
    let body = Payload.bytes(seed: 5, count: 30_000)
    let server = try LoopbackServer([.redirect(to: "/b"), .ok(body)])
    let scene = try DecidingFixture()
    let end = try await scene.run(scene.session.downloadTask(with: server.url("/a")))
    let metrics = try #require(end.metrics.first)
    #expect(end.metrics.count == 1)
    #expect(end.calls.suffix(2) == ["metrics", "complete"])
    #expect(metrics.redirectCount == 1)
    #expect(metrics.transactionMetrics.map(\.statusCode) == [302, 200])
    #expect(
      metrics.transactionMetrics.map(\.url) == [server.url("/a").absoluteString, server.url("/b").absoluteString])
    #expect(metrics.transactionMetrics.map(\.isReusedConnection) == [false, true])
    #expect(metrics.transactionMetrics.map(\.connectEndDate).map { $0 == nil } == [false, true])
    #expect(metrics.transactionMetrics.last?.countOfResponseBodyBytesReceived == Int64(body.count))
    for entry in metrics.transactionMetrics {
      let dates = [entry.fetchStartDate, entry.connectEndDate, entry.requestStartDate, entry.responseStartDate]
      let known = dates.compactMap(\.self) + [entry.responseEndDate]
      #expect(known == known.sorted())
      #expect(entry.method == "GET")
      #expect(entry.networkProtocolName == "http/1.1")
      #expect(entry.remoteAddress == "127.0.0.1")
      #expect(entry.remotePort == Int(server.port))
      #expect(entry.localPort > 0)
      #expect(entry.countOfRequestBytesSent == Int64(server.requests[0].headBytes.count))
    }
    #expect(metrics.taskInterval.duration > 0)
  }

  @Test("A failed task has metrics too, those of what it tried")
  func failed() async throws {
    let server = try LoopbackServer { _ in Answer([.close]) }
    let scene = try DecidingFixture()
    let end = try await scene.run(scene.session.downloadTask(with: server.url()))
    #expect(end.calls == ["metrics", "complete"])
    #expect(end.metrics.first?.transactionMetrics.map(\.statusCode) == [nil])
  }

  @Test("Completion handlers and async calls leave metrics with the session's delegate")
  func otherStyles() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let scene = try DecidingFixture()
    let handled = Gate()
    scene.session.downloadTask(with: server.url()) { _, _, _ in handled.open() }.resume()
    try await handled.opened()
    let (file, _) = try await scene.session.download(from: server.url())
    try FileManager.default.removeItem(at: file)
    let record = try await scene.delegate.record.wait(for: "two reports") { $0.metrics.count == 2 }
    #expect(record.calls == ["metrics", "metrics"])
    scene.session.finishTasksAndInvalidate()
  }

  @Test("The end of the session comes after the metrics of an async call, also while the delegate is busy")
  func lastWord() async throws {
    let gate = Gate()
    let server = try LoopbackServer { $0.path == "/b" ? .ok(Data("x".utf8)).after(.wait(gate)) : .ok(Data("x".utf8)) }
    let (delegate, partials) = (BusyDelegate(), try TemporaryFolder("partials"))
    let configuration = URLSessionConfiguration.ephemeral
    configuration.partialsDirectory = partials.url("kept")
    let session = DownloadSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    let (first, _) = try await session.download(from: server.url("/a"))
    _ = try await delegate.calls.wait(for: "the first metrics") { $0 == ["metrics"] }
    async let second = session.download(from: server.url("/b"))
    try await server.waitForRequests(2)
    session.finishTasksAndInvalidate()
    gate.open()
    let (last, _) = try await second
    // Time enough for whatever overtakes.
    let scene = try DecidingFixture()
    _ = try await scene.run(scene.session.downloadTask(with: server.url("/a")))
    delegate.rest.signal()
    let calls = try await delegate.calls.wait(for: "three calls") { $0.count == 3 }
    #expect(calls == ["metrics", "metrics", "invalid"])
    for file in [first, last] { try FileManager.default.removeItem(at: file) }
  }
}

/// Is busy with the first metrics until it may rest.
private final class BusyDelegate: NSObject, DownloadSessionDelegate {
  let calls = Observed<[String]>([])
  let rest = DispatchSemaphore(value: 0)

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: DownloadMetrics) {
    calls.update { $0.append("metrics") }
    if calls.value.count == 1 { rest.wait() }
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    calls.update { $0.append("invalid") }
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {}
}
