import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct SessionMemberTests {
  @Test("tasks and allTasks are there for a variable of type URLSession")
  func tasks() async throws {
    let server = try LoopbackServer { _ in Answer([.hang]) }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let session: URLSession = fixture.session
    let idle: URLSessionDownloadTask = session.downloadTask(with: server.url())
    let running: URLSessionDownloadTask = session.downloadTask(with: server.url())
    running.resume()
    #expect(await session.allTasks == [idle, running])
    let (data, uploads, downloads) = await session.tasks
    #expect(data == [] && uploads == [])
    #expect(downloads == [idle, running])
    try await server.waitForRequests(1)
  }

  @Test("A session has the delegate, the queue, the description and a copy of the configuration that it was made with")
  func members() throws {
    let queue = OperationQueue()
    let fixture = try SessionFixture(queue: queue) {
      $0.timeoutIntervalForRequest = 7
      $0.retryPolicy = RetryPolicy(maximumAttempts: 2)
    }
    defer { fixture.session.invalidateAndCancel() }
    let session: URLSession = fixture.session
    #expect(session.delegateQueue === queue)
    #expect(session.delegate === fixture.delegate)
    session.sessionDescription = "films"
    #expect(session.sessionDescription == "films")
    let configuration = session.configuration
    #expect(configuration.timeoutIntervalForRequest == 7)
    #expect(configuration.partialsDirectory == fixture.partials.url("kept"))
    configuration.timeoutIntervalForRequest = 8
    configuration.retryPolicy = nil
    #expect(session.configuration.timeoutIntervalForRequest == 7)
    #expect(session.configuration.retryPolicy == RetryPolicy(maximumAttempts: 2))
    #expect(session.copy() as? URLSession === session)
  }

  @Test("The shared session downloads, and cannot be invalidated")
  func shared() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    DownloadSession.shared.invalidateAndCancel()
    DownloadSession.shared.finishTasksAndInvalidate()
    let (file, _) = try await DownloadSession.shared.download(from: server.url())
    #expect(try Data(contentsOf: file) == Data("x".utf8))
    try FileManager.default.removeItem(at: file)
  }

  @Test("flush brings a running download to the disk and calls back on the delegate queue")
  func flush() async throws {
    let server = try LoopbackServer.stalling(seed: 26)
    let queue = OperationQueue()
    let fixture = try SessionFixture(queue: queue)
    defer { fixture.session.invalidateAndCancel() }
    await flush(fixture.session, on: queue)
    let task = fixture.session.downloadTask(with: server.url())
    try await fixture.start(task, until: 100_000)
    await flush(fixture.session, on: queue)
    let name = try #require(fixture.kept.first { $0.hasSuffix(".resume") })
    let record = try ResumeData(Data(contentsOf: fixture.partials.url("kept/\(name)")))
    #expect(record.byteOffset == 100_000)
    #expect(task.state == .running)
  }

  private func flush(_ session: URLSession, on queue: OperationQueue) async {
    let current = await withCheckedContinuation { continuation in
      session.flush { continuation.resume(returning: OperationQueue.current.map(ObjectIdentifier.init)) }
    }
    #expect(current == ObjectIdentifier(queue))
  }

  @Test("reset empties cookies and leaves downloads alone")
  func reset() async throws {
    let go = Gate()
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)).after(.wait(go)) }
    let storage = HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: UUID().uuidString)
    let fixture = try SessionFixture { $0.httpCookieStorage = storage }
    defer { fixture.session.invalidateAndCancel() }
    let properties: [HTTPCookiePropertyKey: Any] = [.name: "a", .value: "b", .domain: "x.test", .path: "/"]
    storage.setCookie(try #require(HTTPCookie(properties: properties)))
    #expect(storage.cookies?.count == 1)
    let task = fixture.session.downloadTask(with: server.url())
    task.resume()
    try await server.waitForRequests(1)
    await withCheckedContinuation { continuation in fixture.session.reset { continuation.resume() } }
    #expect(storage.cookies ?? [] == [])
    go.open()
    #expect(try await fixture.delegate.completion(of: task).data == Data("x".utf8))
  }

  @Test("Download, data and upload tasks of one session share a delegate")
  func otherTasks() async throws {
    let server = try LoopbackServer { request in
      .ok(Data((request.method == "POST" ? "got \(request.body.count)" : "x").utf8))
    }
    let ends = Observed<[String]>([])
    let delegate = PlainDelegate { name in ends.update { $0.append(name) } }
    let session: URLSession = DownloadSession(configuration: .default, delegate: delegate, delegateQueue: nil)
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    let upload = session.uploadTask(with: request, from: Data(count: 1_000))
    upload.resume()
    _ = try await ends.wait(for: "the upload") { $0.count == 1 }
    #expect(delegate.data == Data("got 1000".utf8))
    session.dataTask(with: server.url()).resume()
    _ = try await ends.wait(for: "the data") { $0.count == 2 }
    #expect(delegate.data == Data("got 1000x".utf8))
    session.downloadTask(with: server.url()).resume()
    _ = try await ends.wait(for: "the download") { $0.count == 3 }
    #expect(delegate.file == Data("x".utf8))
    session.finishTasksAndInvalidate()
    #expect(try await ends.wait(for: "the end") { $0.count == 4 } == ["complete", "complete", "complete", "invalid"])
    #expect(server.requests.map(\.body.count) == [1_000, 0, 0])
  }
}
