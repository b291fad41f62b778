import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import Synchronization
import TestSupport
import Testing

/// Members of tasks that tell about requests and answers, and how tasks come to be.
@Suite(.timeLimit(.minutes(3)))
struct RequestMemberTests {
  @Test("A continued download is a new task with the recorded request and the range that it asked for")
  func resumed() async throws {
    let resource = RangeResource(.init(.generated(seed: 31, count: 300_000)), drops: [.dropAfter(100_000)])
    let server = try LoopbackServer(handler: resource.answer)
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    var request = URLRequest(url: server.url())
    request.setValue("yes", forHTTPHeaderField: "X-Mine")
    let first = fixture.session.downloadTask(with: request)
    first.taskDescription = "film"
    let lost = try await fixture.run(first)
    #expect(NSURLSessionDownloadTaskResumeData == "NSURLSessionDownloadTaskResumeData")
    let data = try #require(lost.resumeData)
    let second = fixture.session.downloadTask(withResumeData: data)
    #expect(second.taskIdentifier != first.taskIdentifier)
    #expect(second.taskDescription == nil)
    #expect(second.originalRequest?.url == server.url())
    #expect(second.originalRequest?.value(forHTTPHeaderField: "X-Mine") == "yes")
    let outcome = try await fixture.run(second)
    #expect(outcome.data == Payload.bytes(seed: 31, count: 300_000))
    #expect(second.originalRequest?.value(forHTTPHeaderField: "Range") == nil)
    #expect(second.currentRequest?.value(forHTTPHeaderField: "Range") == "bytes=100000-")
    #expect(second.currentRequest?.value(forHTTPHeaderField: "If-Range") == "\"a1\"")
    #expect((second.response as? HTTPURLResponse)?.statusCode == 206)
    #expect(second.response?.expectedContentLength == 200_000)
    #expect(second.countOfBytesReceived == 300_000)
    #expect(second.countOfBytesExpectedToReceive == 300_000)
    #expect(server.requests.allSatisfy { $0.values("X-Mine") == ["yes"] })
  }

  @Test("Additional headers go with every request, and the request's own come first")
  func additionalHeaders() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let fixture = try SessionFixture { $0.httpAdditionalHeaders = ["X-A": "session", "x-b": "session"] }
    defer { fixture.session.invalidateAndCancel() }
    var request = URLRequest(url: server.url())
    request.setValue("request", forHTTPHeaderField: "X-B")
    _ = try await fixture.run(fixture.session.downloadTask(with: request))
    #expect(server.requests.map { $0.values("X-A") } == [["session"]])
    #expect(server.requests.map { $0.values("X-B") } == [["request"]])
  }

  @Test(
    "The suggested name is one safe component",
    arguments: [
      ("attachment; filename*=UTF-8''na%C3%AFve.txt; filename=naive.txt", "naïve.txt"),
      ("attachment; filename=\"../../etc/passwd\"", "passwd"), ("inline", "file.bin"),
    ])
  func suggestedFilename(disposition: String, name: String) async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8), [("Content-Disposition", disposition)]) }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url("/a/file.bin"))
    _ = try await fixture.run(task)
    let response: URLResponse? = task.response
    #expect(response?.suggestedFilename == name)
  }

  @Test("The body counts as sent once the answer is there")
  func sentBytes() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    request.httpBody = Data(count: 1_234)
    let task = fixture.session.downloadTask(with: request)
    #expect(task.countOfBytesSent == 0)
    #expect(task.countOfBytesExpectedToSend == 1_234)
    _ = try await fixture.run(task)
    #expect(task.countOfBytesSent == 1_234)
    #expect(server.requests.map(\.body.count) == [1_234])
  }

  @Test("didCreateTask comes before the factory returns, on the caller's thread, for every way to make a task")
  func creation() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let witness = CreationWitness()
    let queue = OperationQueue()
    let session = DownloadSession(configuration: .default, delegate: witness, delegateQueue: queue)
    defer { session.invalidateAndCancel() }
    let url = server.url()
    let made: [URLSessionTask] = [
      session.downloadTask(with: url), session.downloadTask(with: URLRequest(url: url)),
      session.downloadTask(with: url) { _, _, _ in }, session.downloadTask(withResumeData: Data()),
      session.downloadTask(with: url, options: .validateStatus),
      session.downloadTask(with: URLRequest(url: url), to: URL(fileURLWithPath: "/nowhere/file")),
    ]
    #expect(witness.created.map(\.task) == made.map(\.taskIdentifier))
    #expect(witness.created.allSatisfy { $0.queue != ObjectIdentifier(queue) })
    let (file, _) = try await session.download(from: url)
    try FileManager.default.removeItem(at: file)
    #expect(witness.created.count == made.count + 1)
  }
}

/// Notes which tasks were made, and on which operation queue it was told.
private final class CreationWitness: NSObject, DownloadSessionDelegate {
  private let state = Mutex<[(task: Int, queue: ObjectIdentifier?)]>([])
  var created: [(task: Int, queue: ObjectIdentifier?)] { state.withLock { $0 } }

  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
    state.withLock { $0.append((task.taskIdentifier, OperationQueue.current.map(ObjectIdentifier.init))) }
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {}
}
