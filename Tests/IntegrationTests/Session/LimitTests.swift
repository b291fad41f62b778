import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// How many downloads run, in which order, and how fast.
@Suite(.timeLimit(.minutes(2)))
struct LimitTests {
  @Test("Downloads beyond the maximum wait, the more important ones first, then the older ones")
  func order() async throws {
    let first = Gate()
    let server = try LoopbackServer { request in
      request.target == "/0"
        ? Answer([.wait(first), .send(Answer.head(200, nil, [("Content-Length", "0")]))]) : .ok(Data())
    }
    let fixture = try SessionFixture { $0.maximumConcurrentDownloads = 1 }
    let tasks = (0..<5).map { fixture.session.downloadTask(with: server.url("/\($0)")) }
    tasks[3].priority = URLSessionTask.highPriority
    tasks[1].priority = URLSessionTask.lowPriority
    for task in tasks { task.resume() }
    try await server.waitForRequests(1)
    first.open()
    for task in tasks { #expect(try await fixture.delegate.completion(of: task).error == nil) }
    #expect(server.requests.map(\.target) == ["/0", "/3", "/2", "/4", "/1"])
    fixture.session.invalidateAndCancel()
  }

  @Test("A suspended download makes room for the next one")
  func suspended() async throws {
    let never = Gate()
    let server = try LoopbackServer { request in
      request.target == "/0" ? Answer([.wait(never)]) : .ok(Data())
    }
    let fixture = try SessionFixture { $0.maximumConcurrentDownloads = 1 }
    let waiting = fixture.session.downloadTask(with: server.url("/0"))
    waiting.resume()
    try await server.waitForRequests(1)
    waiting.suspend()
    #expect(try await fixture.run(fixture.session.downloadTask(with: server.url("/1"))).error == nil)
    fixture.session.invalidateAndCancel()
  }

  @Test("A limit of bytes per second is kept, by a session and by a task", arguments: [true, false])
  func speed(isOfSession: Bool) async throws {
    let body = Payload.bytes(seed: 9, count: 4_000_000)
    let server = try LoopbackServer { _ in .ok(body) }
    let fixture = try SessionFixture { if isOfSession { $0.bytesPerSecondLimit = 10_000_000 } }
    let task = fixture.session.downloadTask(with: server.url())
    if !isOfSession { task.bytesPerSecondLimit = 10_000_000 }
    let start = ContinuousClock.now
    let outcome = try await fixture.run(task)
    #expect(outcome.data == body)
    // Of the 0.4 seconds a tenth is free, and the last piece, of 512 KiB at most, needs no wait after it.
    #expect(ContinuousClock.now - start > .milliseconds(200))
    fixture.session.invalidateAndCancel()
  }

  @Test("A limit is lifted at once, however long it would have the download wait")
  func lifted() async throws {
    let body = Payload.bytes(seed: 9, count: 3_000_000)
    let server = try LoopbackServer { _ in .ok(body) }
    let fixture = try SessionFixture()
    let task = fixture.session.downloadTask(with: server.url())
    task.bytesPerSecondLimit = 1
    try await fixture.start(task, until: 1)
    task.bytesPerSecondLimit = 0
    #expect(try await fixture.delegate.completion(of: task).data == body)
    fixture.session.invalidateAndCancel()
  }
}
