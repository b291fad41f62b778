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
}
