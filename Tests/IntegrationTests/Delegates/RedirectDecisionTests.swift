import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// `willPerformHTTPRedirection`: follow, change, refuse.
@Suite(.timeLimit(.minutes(2)))
struct RedirectDecisionTests {
  private let body = Payload.bytes(seed: 21, count: 50_000)

  @Test("A redirect is followed when the delegate hands the request back, over the same connection")
  func follow() async throws {
    let server = try LoopbackServer([.redirect(to: "/b%2Fc"), .ok(body)])
    let scene = try DecidingFixture()
    let end = try await scene.run(scene.session.downloadTask(with: server.url("/a")))
    #expect(end.file == body)
    #expect(end.redirects == ["302 /b/c"])
    #expect(end.calls == ["redirect", "finish", "metrics", "complete"])
    #expect(server.requests.map(\.target) == ["/a", "/b%2Fc"])
    #expect(server.connectionCount == 1)
    #expect(end.metrics.first?.redirectCount == 1)
  }

  @Test("The delegate may ask something else instead")
  func change() async throws {
    let server = try LoopbackServer([.redirect(to: "/b"), .ok(body)])
    let other = server.url("/other")
    let scene = try DecidingFixture(
      .init(redirect: { _, proposed in
        var request = proposed
        request.url = other
        request.setValue("1", forHTTPHeaderField: "X-Mine")
        return request
      }))
    let end = try await scene.run(scene.session.downloadTask(with: server.url("/a")))
    #expect(end.file == body)
    #expect(server.requests.map(\.target) == ["/a", "/other"])
    #expect(server.requests.last?.values("X-Mine") == ["1"])
    #expect(server.requests.last?.values("Accept-Encoding") == ["identity"])
  }

  @Test("A redirect that is refused is itself the answer, body and all", arguments: [0, 300, 200_000])
  func refuse(length: Int) async throws {
    let page = Payload.bytes(seed: 3, count: length)
    let server = try LoopbackServer([.status(302, page, [("Location", "/b")])])
    let scene = try DecidingFixture(.init(redirect: { _, _ in nil }))
    let end = try await scene.run(scene.session.downloadTask(with: server.url("/a")))
    #expect(end.error == nil)
    #expect(end.file == page)
    #expect(end.response?.statusCode == 302)
    #expect(server.requests.count == 1)
  }

  @Test("A redirect that is refused on resume keeps what there is")
  func refuseOnResume() async throws {
    let scene = try FaultScene(interrupted: .reset, then: .redirect(to: "/b"))
    let blob = try await scene.interrupt()
    let deciding = try DecidingFixture(.init(redirect: { _, _ in nil })) { $0.partialsDirectory = scene.partials }
    let end = try await deciding.run(deciding.session.downloadTask(withResumeData: blob))
    #expect(end.error?.code == .badServerResponse)
    let kept = try #require(end.error?.downloadTaskResumeData)
    #expect(try ResumeData(kept).byteOffset == ResumeData(blob).byteOffset)
  }

  @Test("A task's own delegate decides before the session's, which decides for completion handlers")
  func who() async throws {
    let body = body
    let server = try LoopbackServer { request in request.target == "/a" ? .redirect(to: "/b") : .ok(body) }
    let scene = try DecidingFixture(.init(redirect: { _, _ in nil }))
    let own = DecidingDelegate()
    let task = scene.session.downloadTask(with: server.url("/a"))
    task.delegate = own
    task.resume()
    #expect(try await own.completion().file == body)
    #expect(scene.delegate.record.value.calls == [])
    let statuses = Observed<[Int]>([])
    let handled = scene.session.downloadTask(with: server.url("/a")) { _, response, _ in
      statuses.update { $0.append((response as? HTTPURLResponse)?.statusCode ?? 0) }
    }
    handled.resume()
    #expect(try await statuses.wait(for: "the handler") { !$0.isEmpty } == [302])
    #expect(scene.delegate.record.value.calls == ["redirect", "metrics"])
    scene.session.finishTasksAndInvalidate()
  }

  @Test("A task can be cancelled while its delegate makes up its mind")
  func cancelMeanwhile() async throws {
    let server = try LoopbackServer([.redirect(to: "/b")])
    let asked = Gate()
    let scene = try DecidingFixture(
      .init(redirect: { _, request in
        asked.open()
        return request
      }))
    // The queue stands still, so the answer comes after the cancellation.
    scene.session.delegateQueue.isSuspended = true
    let task = scene.session.downloadTask(with: server.url("/a"))
    task.resume()
    try await server.waitForRequests(1)
    task.cancel()
    scene.session.delegateQueue.isSuspended = false
    let end = try await scene.delegate.completion()
    #expect(end.error?.code == .cancelled)
    #expect(server.requests.count == 1)
    scene.session.finishTasksAndInvalidate()
  }
}
