import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct TaskMemberTests {
  /// Reads and writes every inherited member; one that FoundationNetworking implements would trap.
  private func touch(_ task: DownloadTask, _ expected: URLSessionTask.State) {
    #expect(task.state == expected)
    #expect(task.taskIdentifier > 0)
    #expect(task.originalRequest != nil)
    #expect(task.currentRequest != nil)
    _ = task.response
    _ = task.error
    _ = task.delegate
    _ = task.earliestBeginDate
    #expect(task.countOfBytesReceived >= 0)
    #expect(task.countOfBytesExpectedToReceive >= -1)
    #expect(task.countOfBytesSent == 0)
    #expect(task.countOfBytesExpectedToSend == 0)
    task.countOfBytesClientExpectsToSend = 3
    task.countOfBytesClientExpectsToReceive = 4
    #expect(task.countOfBytesClientExpectsToSend == 3)
    #expect(task.countOfBytesClientExpectsToReceive == 4)
    task.priority = URLSessionTask.highPriority
    #expect(task.priority == URLSessionTask.highPriority)
    task.taskDescription = "a"
    #expect(task.taskDescription == "a")
    #expect(task.progress.fractionCompleted >= 0)
    #expect(!task.description.isEmpty)
    #expect(!task.debugDescription.isEmpty)
    #expect(task.hash == task.hash)
    #expect(task.isEqual(task))
    let copy = task.copy() as? URLSessionTask
    #expect(copy === task)
  }

  @Test("Every member can be used in every state, and resume and suspend stay harmless")
  func members() async throws {
    let (halfway, go) = (Gate(), Gate())
    let body = Payload.bytes(seed: 3, count: 200_000)
    let server = try LoopbackServer { _ in
      .ok(body, [("ETag", "\"a\"")]).inserting(.signal(halfway), .wait(go), after: 100_000)
    }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url())
    touch(task, .suspended)
    #expect(task.response == nil && task.error == nil)
    try await fixture.start(task, until: 100_000)
    touch(task, .running)
    #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
    #expect(task.countOfBytesReceived == 100_000)
    #expect(task.countOfBytesExpectedToReceive == 200_000)
    #expect(task.progress.completedUnitCount == 100_000)
    #expect(task.progress.totalUnitCount == 200_000)
    task.suspend()
    touch(task, .suspended)
    task.resume()
    go.open()
    let outcome = try await fixture.delegate.completion(of: task)
    touch(task, .completed)
    #expect(outcome.data == body)
    #expect(task.error == nil)
    #expect(task.progress.isFinished)
    task.resume()
    task.suspend()
    task.cancel()
    touch(task, .completed)
    #expect(task.error == nil)
    #expect(server.requests.count == 1)
  }

  @Test("A failed task keeps its members")
  func failed() async throws {
    let server = try LoopbackServer { _ in Answer([.close]) }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url())
    let outcome = try await fixture.run(task)
    touch(task, .completed)
    #expect((task.error as? URLError)?.code == outcome.urlError?.code)
    #expect(task.response == nil)
  }

  @Test("The beginning can be put off, and identifiers are unique")
  func beginDate() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url())
    let date = Date(timeIntervalSinceNow: 0.5)
    task.earliestBeginDate = date
    #expect(task.earliestBeginDate == date)
    #expect(try await fixture.run(task).data == Data("x".utf8))
    #expect(Date() >= date)
    let other = fixture.session.downloadTask(with: server.url())
    let data = fixture.session.dataTask(with: server.url())
    #expect(Set([task.taskIdentifier, other.taskIdentifier, data.taskIdentifier]).count == 3)
  }

  @Test("A delegate that knows only Foundation's modules works with download and data tasks of one session")
  func plainDelegate() async throws {
    let body = Payload.bytes(seed: 4, count: 300_000)
    let server = try LoopbackServer { _ in .ok(body) }
    let ends = Observed<[String]>([])
    let delegate = PlainDelegate { name in ends.update { $0.append(name) } }
    let session = DownloadSession(configuration: .default, delegate: delegate, delegateQueue: nil)
    let download: URLSessionDownloadTask = session.downloadTask(with: server.url())
    download.resume()
    _ = try await ends.wait(for: "the download") { $0.count == 1 }
    #expect(delegate.calls == ["write", "finish", "complete"])
    #expect(delegate.file == body)
    session.dataTask(with: server.url()).resume()
    _ = try await ends.wait(for: "the data") { $0.count == 2 }
    #expect(delegate.data == body)
    session.finishTasksAndInvalidate()
    _ = try await ends.wait(for: "the end") { $0.count == 3 }
    #expect(delegate.calls == ["write", "finish", "complete", "data", "complete", "invalid"])
  }
}
