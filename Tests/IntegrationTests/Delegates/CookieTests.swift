import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Cookies of the session's storage on the requests of its downloads.
@Suite(.timeLimit(.minutes(2)))
struct CookieTests {
  @Test("A cookie set on a redirect goes with the next hop and with the resumed request, and to no other host")
  func hops() async throws {
    let storage = URLSessionConfiguration.ephemeral.httpCookieStorage
    let other = try LoopbackServer([FaultScene.beginning(), FaultScene.rest], address: "127.0.0.2")
    let away = Answer.redirect(to: other.url("/file").absoluteString)
    let server = try LoopbackServer([
      .redirect(to: "/in", [("Set-Cookie", "id=7; Path=/"), ("Set-Cookie", "gone=1; Max-Age=0")]), away, away,
    ])
    let folder = try FaultScene([])
    let first = try DecidingFixture {
      $0.partialsDirectory = folder.partials
      $0.httpCookieStorage = storage
    }
    let end = try await first.run(first.session.downloadTask(with: server.url("/door")))
    let blob = try #require(end.error?.downloadTaskResumeData)
    #expect(!String(decoding: blob, as: UTF8.self).contains("id=7"))
    let second = try DecidingFixture {
      $0.partialsDirectory = folder.partials
      $0.httpCookieStorage = storage
    }
    #expect(try await second.run(second.session.downloadTask(withResumeData: blob)).file == FaultScene.whole)
    #expect(server.requests.map { $0.values("Cookie") } == [[], ["id=7"], ["id=7"]])
    #expect(server.requests.map(\.target) == ["/door", "/in", "/door"])
    #expect(other.requests.map { $0.values("Cookie") } == [[], []])
  }

  @Test("A caller's own cookies are sent instead, and a session without cookies sends and keeps none")
  func own() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8), [("Set-Cookie", "id=7; Path=/")]) }
    let scene = try DecidingFixture()
    var request = URLRequest(url: server.url())
    request.setValue("mine=1", forHTTPHeaderField: "Cookie")
    for (task, shown) in [
      (scene.session.downloadTask(with: server.url()), nil), (scene.session.downloadTask(with: request), "mine=1"),
      (scene.session.downloadTask(with: server.url()), nil),
    ] {
      let own = DecidingDelegate()
      task.delegate = own
      task.resume()
      _ = try await own.completion()
      #expect(task.originalRequest?.value(forHTTPHeaderField: "Cookie") == shown)
      #expect(task.currentRequest?.value(forHTTPHeaderField: "Cookie") == shown)
    }
    scene.session.finishTasksAndInvalidate()
    #expect(server.requests.map { $0.values("Cookie") } == [[], ["mine=1"], ["id=7"]])
    let without = try DecidingFixture { $0.httpShouldSetCookies = false }
    _ = try await without.run(without.session.downloadTask(with: server.url()))
    #expect(server.requests.last?.values("Cookie") == [])
  }
}
