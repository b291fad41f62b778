import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// What a failed download leaves behind in its session for the next one.
@Suite(.timeLimit(.minutes(2)))
struct NextDownloadFaultTests {
  /// A way for a download to end without its file.
  enum Failure: String, CaseIterable, Sendable {
    case unknownName, refusedConnection, noAnswer, noHTTP, resetInHead, resetInBody, silence, badStatus, cancelled

    var code: URLError.Code {
      switch self {
      case .unknownName: .cannotFindHost
      case .refusedConnection: .cannotConnectToHost
      case .noAnswer, .resetInHead, .resetInBody: .networkConnectionLost
      case .noHTTP, .badStatus: .badServerResponse
      case .silence: .timedOut
      case .cancelled: .cancelled
      }
    }

    /// Where the download goes that fails.
    func url(_ server: LoopbackServer) -> URL? {
      switch self {
      // A label of more than 63 bytes is refused without asking anybody (RFC 1035 section 2.3.4).
      case .unknownName: URL(string: "http://\(String(repeating: "n", count: 64)).invalid/file")
      // Nobody listens at the port of a server that has gone.
      case .refusedConnection: (try? LoopbackServer([]))?.url("/file")
      default: server.url("/file")
      }
    }

    var answers: [Answer] {
      switch self {
      case .unknownName, .refusedConnection: []
      case .noHTTP: [Answer([.send(Data("220 ready\r\n".utf8)), .close])]
      case .noAnswer: [Answer([.close])]
      case .resetInHead: [Answer([.send(Data("HTTP/1.1 200 OK\r\nContent-".utf8)), .reset])]
      case .resetInBody: [FaultScene.beginning()]
      case .badStatus: [.status(500)]
      case .silence, .cancelled: [Answer([.hang])]
      }
    }
  }

  @Test("The next downloads of the session come whole", arguments: Failure.allCases)
  func next(_ failure: Failure) async throws {
    let server = try LoopbackServer(failure.answers + [FaultScene.rest, FaultScene.rest])
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    var request = URLRequest(url: try #require(failure.url(server)))
    if failure == .silence { request.timeoutInterval = 0.2 }
    let failing = fixture.session.downloadTask(with: request, options: .validateStatus)
    failing.resume()
    if failure == .cancelled {
      try await server.waitForRequests(1)
      failing.cancel()
    }
    #expect(try await fixture.delegate.completion(of: failing).urlError?.code == failure.code)
    for _ in 1...2 {
      let outcome = try await fixture.run(fixture.session.downloadTask(with: server.url("/file")))
      #expect(outcome.error == nil)
      #expect(outcome.data == FaultScene.whole)
    }
  }

  @Test("A folder for partial files that somebody has removed is made again")
  func removedFolder() async throws {
    let server = try LoopbackServer([FaultScene.rest, FaultScene.beginning(), FaultScene.rest, FaultScene.rest])
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let whole = try await fixture.run(fixture.session.downloadTask(with: server.url("/file")))
    #expect(whole.data == FaultScene.whole)
    let broken = try await fixture.run(fixture.session.downloadTask(with: server.url("/file")))
    let blob = try #require(broken.resumeData)
    try FileManager.default.removeItem(at: fixture.partials.url("kept"))
    for task in [
      fixture.session.downloadTask(withResumeData: blob), fixture.session.downloadTask(with: server.url("/file")),
    ] {
      let outcome = try await fixture.run(task)
      #expect(outcome.error == nil)
      #expect(outcome.data == FaultScene.whole)
    }
  }

  @Test("A retry after a name that was not found asks for the name again")
  func retry() async throws {
    let fixture = try SessionFixture {
      $0.retryPolicy = RetryPolicy(maximumAttempts: 3, initialDelay: 0.01, maximumDelay: 0.02)
    }
    defer { fixture.session.invalidateAndCancel() }
    let url = try #require(Failure.unknownName.url(LoopbackServer([])))
    let outcome = try await fixture.run(fixture.session.downloadTask(with: url))
    #expect(outcome.urlError?.code == .cannotFindHost)
  }
}
