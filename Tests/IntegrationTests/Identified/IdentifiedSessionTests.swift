import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct IdentifiedSessionTests {
  private let base: TemporaryFolder
  private let delegate: RecordingDelegate

  init() throws {
    base = try TemporaryFolder("identified")
    delegate = try RecordingDelegate()
  }

  private func makeSession(_ identifier: String = "one") -> DownloadSession {
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    configuration.partialsDirectory = base.url
    return DownloadSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  private func files(_ identifier: String = "one") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: base.path(identifier)).filter { $0 != ".lock" }.sorted()
  }

  @Test("A background configuration has its identifier and tries again")
  func configuration() {
    let configuration = URLSessionConfiguration.background(withIdentifier: "com.example.sync")
    #expect(configuration.identifier == "com.example.sync")
    #expect(configuration.retryPolicy == RetryPolicy())
    #expect(configuration.waitsForConnectivity)
    #expect(configuration.sessionSendsLaunchEvents)
    configuration.sessionSendsLaunchEvents = false
    configuration.partialsDirectory = base.url
    let session = DownloadSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    #expect(session.configuration.identifier == "com.example.sync")
    #expect(!session.configuration.sessionSendsLaunchEvents)
  }

  @Test("The record is there before the factory returns, private, and says what the caller set")
  func record() throws {
    let session = makeSession()
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: try #require(URL(string: "http://localhost/x")))
    #expect(try files() == ["\(task.taskIdentifier).task"])
    task.taskDescription = "described"
    task.priority = 0.75
    task.earliestBeginDate = Date(timeIntervalSince1970: 5_000_000_000)
    let path = base.path("one/\(task.taskIdentifier).task")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for part in ["\"described\"", "\"priority\":0.75", "\"beginTime\":5000000000", "\"state\":\"suspended\""] {
      #expect(text.contains(part))
    }
    let modes = try [path, base.path("one")].map {
      try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
    }
    #expect(modes == [0o600, 0o700])
  }

  @Test("Header fields that are kept out of resume data are kept out of the record")
  func headerPolicy() throws {
    let configuration = URLSessionConfiguration.background(withIdentifier: "policy")
    configuration.partialsDirectory = base.url
    configuration.resumeDataHeaderPolicy = .withoutCredentials
    let session = DownloadSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    var request = URLRequest(url: try #require(URL(string: "http://localhost/x")))
    request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    request.setValue("1", forHTTPHeaderField: "X-One")
    let task = session.downloadTask(with: request)
    #expect(task.originalRequest == request)
    let text = try String(contentsOfFile: base.path("policy/\(task.taskIdentifier).task"), encoding: .utf8)
    #expect(text.contains("X-One"))
    #expect(!text.contains("secret"))
  }

  @Test("A session that is let go leaves its suspended tasks to the next one, with every part of the request")
  func handedOn() async throws {
    let url = try #require(URL(string: "http://localhost/x?a=%2B"))
    var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 7)
    request.setValue("1", forHTTPHeaderField: "X-One")
    request.httpShouldHandleCookies = false
    request.allowsCellularAccess = false
    request.mainDocumentURL = URL(string: "http://localhost/main")
    func leave() -> Int {
      let session = makeSession()
      defer { withExtendedLifetime(session) {} }
      let task = session.downloadTask(with: request)
      task.taskDescription = "kept"
      task.priority = 0.25
      task.earliestBeginDate = Date(timeIntervalSince1970: 5_000_000_000)
      return task.taskIdentifier
    }
    let number = leave()
    let session = makeSession()
    defer { session.invalidateAndCancel() }
    let found = await withCheckedContinuation { continuation in
      session.getAllTasks { continuation.resume(returning: $0) }
    }
    let task = try #require(found.first as? DownloadTask)
    #expect(found.count == 1)
    #expect(task.taskIdentifier == number)
    #expect(task.state == .suspended)
    #expect(task.taskDescription == "kept")
    #expect(task.priority == 0.25)
    #expect(task.earliestBeginDate == Date(timeIntervalSince1970: 5_000_000_000))
    let original = try #require(task.originalRequest)
    #expect(original == request)
    #expect(original.allHTTPHeaderFields == request.allHTTPHeaderFields)
    #expect(original.timeoutInterval == 7)
    #expect(original.url?.absoluteString == url.absoluteString)
  }

  @Test("An invalidated session frees its identifier before it says so")
  func invalidation() async throws {
    let server = try LoopbackServer { _ in Answer([.hang]) }
    let session = makeSession()
    let tasks = (0..<2).map { _ in session.downloadTask(with: server.url()) }
    tasks[0].resume()
    try await server.waitForRequests(1)
    session.invalidateAndCancel()
    try await delegate.invalidated()
    for task in tasks { #expect(try await delegate.completion(of: task).urlError?.code == .cancelled) }
    #expect(try files() == [])
    let next = makeSession()
    defer { next.invalidateAndCancel() }
    let task = next.downloadTask(with: server.url())
    task.resume()
    try await server.waitForRequests(2)
  }

  @Test("A full run tries again after a lost connection and leaves nothing but the file")
  func retries() async throws {
    let resource = RangeResource(.init(.generated(seed: 3, count: 3 << 20)), drops: [.dropAfter(2 << 20)])
    let server = try LoopbackServer(handler: resource.answer)
    let session = makeSession()
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: server.url())
    task.resume()
    let outcome = try await delegate.completion(of: task)
    #expect(outcome.data == Payload.bytes(seed: 3, count: 3 << 20))
    #expect(server.requests.count == 2)
    session.finishTasksAndInvalidate()
    try await delegate.invalidated()
    #expect(try files() == [])
  }

  @Test("A request that cannot be recorded fails without being sent")
  func unrecordable() async throws {
    let server = try LoopbackServer { _ in .ok(Data()) }
    let session = makeSession()
    defer { session.invalidateAndCancel() }
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    request.httpBody = Data(count: 5 << 20)
    let task = session.downloadTask(with: request)
    task.resume()
    #expect(try await delegate.completion(of: task).urlError?.code == .badURL)
    let plain = session.downloadTask(with: try #require(URL(string: "file:///etc/passwd")))
    plain.resume()
    #expect(try await delegate.completion(of: plain).urlError?.code == .unsupportedURL)
    #expect(server.requests.isEmpty)
    #expect(try files() == [])
  }

  @Test("Redirects are followed without asking the delegate")
  func redirect() async throws {
    let server = try LoopbackServer { $0.path == "/old" ? .redirect(to: "/new") : .ok(Data("x".utf8)) }
    let asking = RefusingDelegate()
    let configuration = URLSessionConfiguration.background(withIdentifier: "redirect")
    configuration.partialsDirectory = base.url
    let session = DownloadSession(configuration: configuration, delegate: asking, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    session.downloadTask(with: server.url("/old")).resume()
    let data = try await asking.data.wait(for: "the file") { $0 != nil }
    #expect(data == Data("x".utf8))
    #expect(server.requests.map(\.path) == ["/old", "/new"])
  }

  @Test("The reason of a cancellation by the system is read from the error")
  func reason() {
    let error = URLError(.cancelled, userInfo: [NSURLErrorBackgroundTaskCancelledReasonKey: 2])
    #expect(error.backgroundTaskCancelledReason == .insufficientSystemResources)
    #expect(URLError(.cancelled).backgroundTaskCancelledReason == nil)
  }
}

/// Keeps the bytes of a download and refuses every redirect.
private final class RefusingDelegate: NSObject, URLSessionDownloadDelegate, Sendable {
  let data = Observed<Data?>(nil)

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    let bytes = try? Data(contentsOf: location)
    data.update { $0 = bytes ?? Data("unreadable".utf8) }
  }
}
