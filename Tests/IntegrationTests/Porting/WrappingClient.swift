import Dispatch
import Foundation
import FoundationNetworking

/// A networking library in small, as they are written upon `URLSession`: it is handed a session, its delegate and the
/// queue that everything happens on, and keeps a state for every request. It imports Foundation's modules only.
final class WrappingClient: @unchecked Sendable {
  // `requests` is only used on `root`, which is also where the session calls the delegate.
  let session: URLSession
  let root: DispatchQueue
  private var requests: [URLSessionTask: WrappedDownload] = [:]

  init(session: URLSession, delegate: WrappingDelegate, root: DispatchQueue) {
    precondition(session.delegateQueue.underlyingQueue === root)
    self.session = session
    self.root = root
    delegate.client = self
  }

  /// - Parameter onEnd: Called on the root queue.
  func download(
    _ request: URLRequest, to place: URL, onEnd: @escaping @Sendable (WrappedDownload.Outcome) -> Void
  ) -> WrappedDownload {
    add(to: place, onEnd: onEnd) { $0.downloadTask(with: request) }
  }

  func download(
    resumingWith data: Data, to place: URL, onEnd: @escaping @Sendable (WrappedDownload.Outcome) -> Void
  ) -> WrappedDownload {
    add(to: place, onEnd: onEnd) { $0.downloadTask(withResumeData: data) }
  }

  private func add(
    to place: URL, onEnd: @escaping @Sendable (WrappedDownload.Outcome) -> Void,
    make: @escaping @Sendable (URLSession) -> URLSessionDownloadTask
  ) -> WrappedDownload {
    let request = WrappedDownload(place: place, root: root, onEnd: onEnd)
    root.async { [self] in
      let task = make(session)
      requests[task] = request
      request.begin(task)
    }
    return request
  }

  fileprivate func request(for task: URLSessionTask) -> WrappedDownload? {
    dispatchPrecondition(condition: .onQueue(root))
    return requests[task]
  }

  fileprivate func forget(_ task: URLSessionTask) { requests[task] = nil }
}

/// One request of the client.
final class WrappedDownload: @unchecked Sendable {
  // Everything that changes does so on `root`.

  enum State { case waiting, running, suspended, cancelled, finished }

  struct Outcome: Sendable {
    var file: URL?
    var status: Int?
    var resumeData: Data?
    var error: (any Error)?
    var history: [String]
  }

  private let place: URL
  private let root: DispatchQueue
  private let onEnd: @Sendable (Outcome) -> Void
  private var onProgress: (@Sendable (Int64, Int64) -> Void)?
  private var task: URLSessionDownloadTask?
  private var state = State.waiting
  private var outcome = Outcome(history: [])

  fileprivate init(place: URL, root: DispatchQueue, onEnd: @escaping @Sendable (Outcome) -> Void) {
    self.place = place
    self.root = root
    self.onEnd = onEnd
  }

  @discardableResult
  func reporting(_ progress: @escaping @Sendable (_ written: Int64, _ expected: Int64) -> Void) -> Self {
    root.async { self.onProgress = progress }
    return self
  }

  func suspend() {
    root.async { [self] in
      guard state == .running else { return }
      state = .suspended
      task?.suspend()
    }
  }

  func resume() {
    root.async { [self] in
      guard state == .suspended else { return }
      state = .running
      task?.resume()
    }
  }

  /// Ends the request; `resumeData` of its outcome is what the task produced.
  func cancel(producingResumeData: Bool) {
    root.async { [self] in
      guard state == .running || state == .suspended, let task else { return }
      state = .cancelled
      guard producingResumeData else { return task.cancel() }
      task.cancel { data in
        self.root.async { self.outcome.resumeData = data }
      }
    }
  }

  fileprivate func begin(_ task: URLSessionDownloadTask) {
    self.task = task
    state = .running
    task.resume()
  }

  fileprivate func wrote(_ written: Int64, of expected: Int64) {
    if outcome.history.last != "write" { outcome.history.append("write") }
    onProgress?(written, expected)
  }

  fileprivate func resumed(at offset: Int64) { outcome.history.append("resume \(offset)") }

  fileprivate func finished(_ location: URL) {
    outcome.history.append("finish")
    do {
      try FileManager.default.moveItem(at: location, to: place)
      outcome.file = place
    } catch {
      outcome.error = error
    }
  }

  fileprivate func completed(_ error: (any Error)?) {
    outcome.history.append("complete")
    outcome.status = (task?.response as? HTTPURLResponse)?.statusCode
    outcome.error = outcome.error ?? error
    let carried = (error as NSError?)?.userInfo["NSURLSessionDownloadTaskResumeData"] as? Data
    outcome.resumeData = outcome.resumeData ?? carried
    if state != .cancelled { state = .finished }
    onEnd(outcome)
  }
}

/// The session's delegate, which finds the request of each task.
final class WrappingDelegate: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
  // Set once, before the first task is made.
  fileprivate weak var client: WrappingClient?

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    client?.request(for: downloadTask)?.wrote(totalBytesWritten, of: totalBytesExpectedToWrite)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    client?.request(for: downloadTask)?.resumed(at: fileOffset)
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    client?.request(for: downloadTask)?.finished(location)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    client?.request(for: task)?.completed(error)
    client?.forget(task)
  }
}
