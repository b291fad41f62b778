import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// `earliestBeginDate` and `willBeginDelayedRequest`.
@Suite(.timeLimit(.minutes(2)))
struct DelayedStartTests {
  private func run(_ decisions: DecidingDelegate.Decisions, _ server: LoopbackServer) async throws
    -> DecidingDelegate.Record
  {
    let scene = try DecidingFixture(decisions)
    let task = scene.session.downloadTask(with: server.url("/a"))
    task.earliestBeginDate = Date(timeIntervalSinceNow: 0.05)
    return try await scene.run(task)
  }

  @Test("A delayed task asks before it begins")
  func asks() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let end = try await run(.init(), server)
    #expect(end.calls == ["delayed", "finish", "metrics", "complete"])
    #expect(end.file == Data("x".utf8))
  }

  @Test("A delayed task may ask something else, or be cancelled")
  func decides() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let other = URLRequest(url: server.url("/other"))
    let end = try await run(.init(delayed: { _ in (.useNewRequest, other) }), server)
    #expect(end.file == Data("x".utf8))
    #expect(server.requests.map(\.target) == ["/other"])
    let cancelled = try await run(.init(delayed: { _ in (.cancel, nil) }), server)
    #expect(cancelled.error?.code == .cancelled)
    #expect(server.requests.count == 1)
  }

  @Test("A task without a begin date does not ask")
  func undelayed() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let scene = try DecidingFixture()
    let end = try await scene.run(scene.session.downloadTask(with: server.url()))
    #expect(end.calls == ["finish", "metrics", "complete"])
  }
}
