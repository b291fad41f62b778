import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct SessionEndTests {
  @Test("All tasks are found, those never resumed included, and ended ones are not")
  func allTasks() async throws {
    let server = try LoopbackServer { $0.path == "/hang" ? Answer([.hang]) : .ok(Data("x".utf8)) }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let ended = fixture.session.downloadTask(with: server.url())
    _ = try await fixture.run(ended)
    let idle = fixture.session.downloadTask(with: server.url())
    let running = fixture.session.downloadTask(with: server.url("/hang"))
    running.resume()
    let data = fixture.session.dataTask(with: server.url("/hang"))
    data.resume()
    let found = await withCheckedContinuation { continuation in
      fixture.session.getAllTasks { continuation.resume(returning: $0) }
    }
    #expect(Set(found.map(ObjectIdentifier.init)) == Set([idle, running, data].map(ObjectIdentifier.init)))
    let (datas, uploads, downloads) = await withCheckedContinuation { continuation in
      fixture.session.getTasksWithCompletionHandler { continuation.resume(returning: ($0, $1, $2)) }
    }
    #expect(datas == [data])
    #expect(uploads == [])
    #expect(downloads == [idle, running])
  }

  @Test("finishTasksAndInvalidate lets tasks end and tells the end last")
  func finish() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)).after(.wait(gate)) }
    let fixture = try SessionFixture()
    let tasks = (0..<3).map { _ in fixture.session.downloadTask(with: server.url()) }
    for task in tasks { task.resume() }
    try await server.waitForRequests(3)
    fixture.session.finishTasksAndInvalidate()
    fixture.session.finishTasksAndInvalidate()
    let late = fixture.session.downloadTask(with: server.url())
    late.resume()
    gate.open()
    try await fixture.delegate.invalidated()
    for task in tasks { #expect(try await fixture.delegate.completion(of: task).data == Data("x".utf8)) }
    let events = fixture.delegate.events
    #expect(events.last?.event == .invalidated)
    #expect(events.count { $0.event == .invalidated } == 1)
    #expect(late.error == nil || (late.error as? URLError)?.code == .cancelled)
    #expect(server.requests.count == 3)
  }

  @Test("invalidateAndCancel ends every task, also one never resumed, and tells the end last")
  func cancelAll() async throws {
    let server = try LoopbackServer { _ in Answer([.hang]) }
    let fixture = try SessionFixture()
    let tasks = (0..<4).map { _ in fixture.session.downloadTask(with: server.url()) }
    for task in tasks.dropFirst() { task.resume() }
    try await server.waitForRequests(3)
    fixture.session.invalidateAndCancel()
    try await fixture.delegate.invalidated()
    for task in tasks {
      let outcome = try await fixture.delegate.completion(of: task)
      #expect(outcome.urlError?.code == .cancelled)
      #expect(outcome.resumeData == nil)
      #expect(fixture.delegate.orderViolations(for: task) == [])
    }
    #expect(fixture.delegate.events.last?.event == .invalidated)
    #expect(fixture.kept == [])
  }

  @Test("A task made on an invalidated session fails with -999")
  func invalidated() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let fixture = try SessionFixture()
    fixture.session.finishTasksAndInvalidate()
    try await fixture.delegate.invalidated()
    let failure = Observed<URLError?>(nil)
    let task = fixture.session.downloadTask(with: server.url()) { _, _, error in
      failure.update { $0 = error as? URLError }
    }
    task.resume()
    let error = try await failure.wait(for: "the failure") { $0 != nil }
    #expect(error?.code.rawValue == -999)
    #expect(server.requests.isEmpty)
  }

  @Test("A delegate of one task hears of that task alone")
  func taskDelegate() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let own = try RecordingDelegate()
    let task = fixture.session.downloadTask(with: server.url())
    let other = fixture.session.downloadTask(with: server.url())
    task.delegate = own
    task.resume()
    #expect(try await own.completion(of: task).data == Data("x".utf8))
    #expect(try await fixture.run(other).data == Data("x".utf8))
    #expect(own.orderViolations(for: task) == [])
    #expect(fixture.delegate.events(of: task) == [])
    #expect(own.events(of: other) == [])
    #expect(task.delegate == nil)
  }

  @Test("A concurrent queue keeps the order within each task")
  func concurrentQueue() async throws {
    let resource = RangeResource(.init(.generated(seed: 13, count: 2_000_000)), bytesPerSecond: 8_000_000)
    let server = try LoopbackServer(handler: resource.answer)
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 8
    let fixture = try SessionFixture(queue: queue) { $0.httpMaximumConnectionsPerHost = 8 }
    defer { fixture.session.invalidateAndCancel() }
    let tasks = (0..<8).map { _ in fixture.session.downloadTask(with: server.url()) }
    for task in tasks { task.resume() }
    for task in tasks {
      let outcome = try await fixture.delegate.completion(of: task)
      #expect(outcome.data == Payload.bytes(seed: 13, count: 2_000_000))
      #expect(fixture.delegate.orderViolations(for: task) == [])
    }
  }
}
