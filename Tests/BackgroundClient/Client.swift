import Foundation
import FoundationNetworking
import ResumableDownloads
import Synchronization

/// Writes one line to standard output at once.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// A program with a session that outlives it.
final class Client: NSObject, DownloadSessionDelegate {
  let script: Script
  private let completed = Mutex(0)
  private let sessions = Mutex<[DownloadSession]>([])

  init(_ script: Script) {
    self.script = script
  }

  func run() {
    let session = makeSession()
    // Nothing is told before the tasks were asked for, so that all are there.
    defer { session.delegateQueue.isSuspended = false }
    session.getAllTasks { tasks in
      for task in tasks { say("task \(self.line(for: task))") }
      say("listed \(tasks.count)")
      for step in self.script.steps { self.perform(step, session, tasks) }
      say("ready")
    }
  }

  private func makeSession() -> DownloadSession {
    let configuration = URLSessionConfiguration.background(withIdentifier: script.identifier)
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = true
    let session = DownloadSession(configuration: configuration, delegate: self, delegateQueue: queue)
    sessions.withLock { $0.append(session) }
    return session
  }

  private func line(for task: URLSessionTask) -> String {
    let state = task.state == .suspended ? "suspended" : task.state == .running ? "running" : "ending"
    let request = task.originalRequest
    let tag = request?.value(forHTTPHeaderField: "X-Tag") ?? "-"
    return "\(task.taskIdentifier) \(state) \(request?.url?.path ?? "-") \(tag) \(task.taskDescription ?? "-")"
  }

  private func perform(_ step: Script.Step, _ session: DownloadSession, _ tasks: [URLSessionTask]) {
    func task(_ number: Int) -> DownloadTask? { tasks.first { $0.taskIdentifier == number } as? DownloadTask }
    switch step {
    case .add(let url, let text): describe(session.downloadTask(with: request(url)), text)
    case .start(let url, let text): describe(session.downloadTask(with: request(url)), text).resume()
    case .to(let url, let path):
      describe(session.downloadTask(with: request(url), to: URL(fileURLWithPath: path)), nil).resume()
    case .post(let url, let text):
      describe(session.downloadTask(with: request(url, posting: text)), nil).resume()
    case .from(let path):
      let data = FileManager.default.contents(atPath: path) ?? Data()
      describe(session.downloadTask(withResumeData: data), nil).resume()
    case .handler(let url):
      session.downloadTask(with: url) { _, _, error in say("handler \(self.code(of: error))") }.resume()
    case .async(let url): download(url, session)
    case .twice(let url):
      let other = makeSession()
      other.delegateQueue.isSuspended = false
      other.downloadTask(with: url).resume()
    case .resume(let number): task(number)?.resume()
    case .cancel(let number): task(number)?.cancel()
    case .pause(let number): task(number).map(pause)
    }
  }

  @discardableResult
  private func describe(_ task: DownloadTask, _ text: String?) -> DownloadTask {
    task.taskDescription = text
    say("made \(task.taskIdentifier)")
    return task
  }

  private func download(_ url: URL, _ session: DownloadSession) {
    Task {
      do {
        _ = try await session.download(from: url)
        say("async ok")
      } catch { say("async \(self.code(of: error))") }
    }
  }

  private func pause(_ task: DownloadTask) {
    let path = "\(script.folder)/\(task.taskIdentifier).blob"
    task.cancel(byProducingResumeData: { data in
      let isWritten = FileManager.default.createFile(atPath: path, contents: data)
      say("blob \(task.taskIdentifier) \(isWritten ? data?.count ?? 0 : -1)")
    })
  }

  private func request(_ url: URL, posting text: String? = nil) -> URLRequest {
    var request = URLRequest(url: url)
    request.setValue("tag", forHTTPHeaderField: "X-Tag")
    if let text {
      request.httpMethod = "POST"
      request.httpBody = Data(text.utf8)
    }
    return request
  }

  private func code(of error: (any Error)?) -> String {
    (error as? URLError).map { "\($0.code.rawValue)" } ?? "ok"
  }

  private func stall(at place: Script.Place, _ task: URLSessionTask) {
    guard script.place == place else { return }
    say("stalled \(task.taskIdentifier)")
    DispatchSemaphore(value: 0).wait()
  }
}

extension Client {
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    say("resumed \(downloadTask.taskIdentifier) \(fileOffset)")
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    say("wrote \(downloadTask.taskIdentifier) \(totalBytesWritten)")
    guard let limit = script.suspendsAt, totalBytesWritten >= limit, downloadTask.state == .running else { return }
    downloadTask.suspend()
    say("suspended \(downloadTask.taskIdentifier)")
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    let status = (downloadTask.response as? HTTPURLResponse)?.statusCode ?? 0
    say("finished \(downloadTask.taskIdentifier) \(status)")
    stall(at: .finish, downloadTask)
    // A file with a destination is where it belongs.
    if location.pathExtension == "tmp" { keep(location, as: "\(downloadTask.taskIdentifier)") }
    stall(at: .moved, downloadTask)
  }

  private func keep(_ location: URL, as name: String) {
    let target = URL(fileURLWithPath: "\(script.folder)/\(name)")
    do { try FileManager.default.moveItem(at: location, to: target) } catch { say("failed \(error)") }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    say("completed \(task.taskIdentifier) \(code(of: error))")
    stall(at: .complete, task)
    let count = completed.withLock { count in
      count += 1
      return count
    }
    if count == script.count { session.finishTasksAndInvalidate() }
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    say("invalid")
    // Resume data comes on another thread, before or after.
    if !script.producesResumeData { exit(0) }
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    say("delivered")
  }
}
