import Foundation
import FoundationNetworking
import Glibc
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Waiting for the network, in a network of the test's own.
@Suite(.timeLimit(.minutes(2)), .enabled(if: geteuid() == 0, "only root may make a network namespace"))
struct ConnectivityTests {
  private final class Waiting: NSObject, DownloadSessionDelegate {
    let calls = Observed<[String]>([])
    let body = Observed<Data?>(nil)
    let error = Observed<(any Error)?>(nil)

    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
      calls.update { $0.append("waiting") }
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
      let data = try? Data(contentsOf: location)
      body.update { $0 = data }
      calls.update { $0.append("finish") }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      self.error.update { $0 = error }
      let code = (error as? URLError)?.code.rawValue
      calls.update { $0.append("complete \(code ?? 0)") }
    }
  }

  private func start(
    on island: Island, _ url: URL, _ configure: @escaping @Sendable (URLSessionConfiguration) -> Void
  ) async throws -> (DownloadSession, Waiting) {
    let delegate = Waiting()
    let session = try await island.run {
      let configuration = URLSessionConfiguration.ephemeral
      configure(configuration)
      let session = DownloadSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      session.downloadTask(with: url).resume()
      return session
    }
    return (session, delegate)
  }

  @Test("A task that waits for the network tells so once, and goes on when a route appears")
  func waits() async throws {
    let island = try await Island()
    try await island.allowAbsentAddresses()
    let server = try await island.run { try LoopbackServer { _ in .ok(Data("x".utf8)) } }
    let (session, delegate) = try await start(on: island, server.url()) { $0.waitsForConnectivity = true }
    _ = try await delegate.calls.wait(for: "the wait") { $0 == ["waiting"] }
    #expect(server.requests.isEmpty)
    try await island.switchNetworkOn()
    _ = try await delegate.calls.wait(for: "the end") { $0.count == 3 }
    #expect(delegate.calls.value == ["waiting", "finish", "complete 0"])
    #expect(delegate.body.value == Data("x".utf8))
    session.finishTasksAndInvalidate()
  }

  @Test("Without the setting a missing network is an error, for addresses and for names")
  func fails() async throws {
    let island = try await Island()
    for text in ["http://127.0.0.1:9/f", "http://files.test/f"] {
      let url = try #require(URL(string: text))
      let (session, delegate) = try await start(on: island, url) { _ in }
      _ = try await delegate.calls.wait(for: "the end") { !$0.isEmpty }
      #expect(delegate.calls.value == ["complete \(URLError.Code.notConnectedToInternet.rawValue)"])
      session.finishTasksAndInvalidate()
    }
  }

  @Test("The wait goes on when the network changes and is not there, and is bounded by the time for the whole download")
  func bounded() async throws {
    let island = try await Island()
    let url = try #require(URL(string: "http://files.test/f"))
    let (session, delegate) = try await start(on: island, url) {
      $0.waitsForConnectivity = true
      $0.timeoutIntervalForResource = 2
    }
    _ = try await delegate.calls.wait(for: "the wait") { $0 == ["waiting"] }
    try await island.changeNetwork()
    _ = try await delegate.calls.wait(for: "the end") { $0.count == 2 }
    #expect(
      delegate.calls.value == ["waiting", "complete \(URLError.Code.timedOut.rawValue)"],
      "\(String(describing: delegate.error.value))")
    session.finishTasksAndInvalidate()
  }
}
