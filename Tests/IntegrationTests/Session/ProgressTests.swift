import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct ProgressTests {
  private static let count: Int64 = 300_000

  private func server(_ gate: Gate) throws -> LoopbackServer {
    let resource = RangeResource(.init(.generated(seed: 24, count: Self.count)))
    return try LoopbackServer { resource.answer($0).inserting(.wait(gate), after: 100_000) }
  }

  /// The handlers of `Progress` run on a thread of their own.
  private func reach(_ state: URLSessionTask.State, _ task: DownloadTask) async throws {
    try await eventually("state \(state.rawValue)") { task.state == state }
  }

  private func makeTasks(
    _ count: Int, of session: DownloadSession, for url: URL, while current: Progress
  ) -> [DownloadTask] {
    current.becomeCurrent(withPendingUnitCount: 1)
    defer { current.resignCurrent() }
    return (0..<count).map { _ in session.downloadTask(with: url) }
  }

  @Test("Progress has the totals, the kind, a speed and a remaining time")
  func members() async throws {
    let gate = Gate()
    let server = try server(gate)
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url())
    let progress = task.progress
    #expect(progress.totalUnitCount == -1 && progress.isIndeterminate)
    #expect(progress.throughput == nil && progress.estimatedTimeRemaining == nil)
    #expect(progress.kind == .file && progress.fileOperationKind == .downloading)
    #expect(progress.isCancellable && progress.isPausable)
    try await fixture.start(task, until: 100_000)
    #expect(progress.totalUnitCount == Self.count)
    #expect(progress.completedUnitCount == 100_000)
    #expect(try #require(progress.throughput) > 0)
    #expect(try #require(progress.estimatedTimeRemaining) > 0)
    #expect(progress.userInfo[.throughputKey] is NSNumber)
    gate.open()
    _ = try await fixture.delegate.completion(of: task)
    #expect(progress.isFinished)
    #expect(progress.completedUnitCount == Self.count)
    #expect(progress.estimatedTimeRemaining == 0)
  }

  @Test("When a connection is lost, the progress stands where the bytes do")
  func lost() async throws {
    let gate = Gate()
    let resource = RangeResource(.init(.generated(seed: 24, count: Self.count)), drops: [.dropAfter(200_000)])
    let server = try LoopbackServer { resource.answer($0).inserting(.wait(gate), after: 100_000) }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url())
    try await fixture.start(task, until: 100_000)
    gate.open()
    #expect(try await fixture.delegate.completion(of: task).urlError?.code == .networkConnectionLost)
    #expect(task.countOfBytesReceived == 200_000)
    #expect(task.progress.completedUnitCount == 200_000)
  }

  @Test("The resumed part counts from the start")
  func resumed() async throws {
    let (first, second) = (Gate(), Gate())
    let resource = RangeResource(.init(.generated(seed: 24, count: Self.count)))
    let server = try LoopbackServer {
      resource.answer($0).inserting(.wait($0.number == 1 ? first : second), after: 100_000)
    }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url())
    try await fixture.start(task, until: 100_000)
    let data = try #require(await task.cancelByProducingResumeData())
    let completed = Observed<[Int64]>([])
    fixture.delegate.hooks.onResume = { task, _ in completed.update { $0.append(task.progress.completedUnitCount) } }
    let next = fixture.session.downloadTask(withResumeData: data)
    try await fixture.start(next, until: 200_000)
    #expect(next.progress.completedUnitCount == 200_000)
    #expect(next.progress.totalUnitCount == Self.count)
    #expect(try #require(completed.value.first) >= 100_000)
    second.open()
    _ = try await fixture.delegate.completion(of: next)
    #expect(next.progress.isFinished)
  }

  @Test(
    "A file that has become empty or of unknown length does not trap in FoundationNetworking", arguments: [true, false])
  func shrinking(toNothing: Bool) async throws {
    let resource = RangeResource(.init(.generated(seed: 24, count: Self.count)), drops: [.dropAfter(100_000)])
    let server = try LoopbackServer { request in
      guard request.number > 1 else { return resource.answer(request) }
      return toNothing ? .ok(Data(), [("ETag", "\"b\"")]) : .chunked([Data("abc".utf8)], [("ETag", "\"b\"")])
    }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let lost = try await fixture.run(fixture.session.downloadTask(with: server.url()))
    let task = fixture.session.downloadTask(withResumeData: try #require(lost.resumeData))
    let outcome = try await fixture.run(task)
    #expect(outcome.resumeOffsets == [0])
    #expect(outcome.data == Data((toNothing ? "" : "abc").utf8))
    #expect(task.progress.isFinished)
  }

  @Test("Pausing, resuming and cancelling the progress does so to the task")
  func control() async throws {
    let gate = Gate()
    let server = try server(gate)
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url())
    task.progress.resume()
    try await fixture.delegate.waitForBytes(100_000, of: task)
    task.progress.pause()
    try await reach(.suspended, task)
    task.progress.pause()
    task.progress.resume()
    try await reach(.running, task)
    // Whatever the order in which the handlers run, what was said last counts.
    for _ in 0..<100 {
      task.progress.pause()
      task.progress.resume()
    }
    gate.open()
    let outcome = try await fixture.delegate.completion(of: task)
    #expect(outcome.data == Payload.bytes(seed: 24, count: Int(Self.count)))
    let silent = try LoopbackServer { _ in Answer([.hang]) }
    let other = fixture.session.downloadTask(with: silent.url())
    other.resume()
    other.progress.cancel()
    #expect(try await fixture.delegate.completion(of: other).urlError?.code == .cancelled)
    #expect(other.progress.isCancelled)
  }

  @Test("Tasks are children of another progress, also those whose file is empty or of unknown length")
  func children() async throws {
    let gate = Gate()
    let bodies: [Answer] = [.ok(Data(count: 100_000)), .ok(Data()), .chunked([Data(count: 5), Data(count: 6)])]
    let server = try LoopbackServer { request in
      bodies[(Int(request.path.dropFirst()) ?? 0) % bodies.count].after(.wait(gate))
    }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let parent = Progress(totalUnitCount: 6)
    let tasks = (0..<6).map { fixture.session.downloadTask(with: server.url("/\($0)")) }
    for task in tasks { parent.addChild(task.progress, withPendingUnitCount: 1) }
    for task in tasks { task.resume() }
    #expect(parent.fractionCompleted == 0)
    gate.open()
    for task in tasks { #expect(try await fixture.delegate.completion(of: task).error == nil) }
    #expect(parent.completedUnitCount == 6)
    #expect(parent.fractionCompleted == 1)
    #expect(parent.isFinished)
  }

  @Test("Cancelling the parent cancels every task, and a current progress does not adopt them by itself")
  func parentCancels() async throws {
    let gate = Gate()
    let server = try server(gate)
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let parent = Progress(totalUnitCount: 3)
    let tasks = makeTasks(2, of: fixture.session, for: server.url(), while: parent)
    for task in tasks { parent.addChild(task.progress, withPendingUnitCount: 1) }
    for task in tasks { task.resume() }
    for task in tasks { try await fixture.delegate.waitForBytes(100_000, of: task) }
    parent.pause()
    for task in tasks { try await reach(.suspended, task) }
    parent.cancel()
    for task in tasks {
      #expect(try await fixture.delegate.completion(of: task).urlError?.code == .cancelled)
    }
  }
}
