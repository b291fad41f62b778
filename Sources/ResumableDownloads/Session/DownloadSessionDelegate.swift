public import FoundationNetworking

/// Callbacks that Apple documents and FoundationNetworking's protocols lack. All are optional.
///
/// A delegate of a `DownloadSession` that conforms to this protocol receives them; one that does not loses nothing
/// else.
public protocol DownloadSessionDelegate: URLSessionDownloadDelegate {
  /// A task was made. Called synchronously, before the factory returns, on the caller's thread and not on the delegate
  /// queue (Apple: `urlSession(_:didCreateTask:)`).
  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)

  /// The task waits for the network. On the delegate queue, at most once a task, and only with
  /// `URLSessionConfiguration.waitsForConnectivity` (Apple: `urlSession(_:taskIsWaitingForConnectivity:)`).
  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)

  /// What happened when. On the delegate queue, once a task, right before `didCompleteWithError` (Apple:
  /// `urlSession(_:task:didFinishCollecting:)`, with `URLSessionTaskMetrics`). Also for tasks with a completion handler
  /// and, after the call has returned, for async calls.
  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: DownloadMetrics)

  /// All that an ended process left untold has been told.
  ///
  /// Called once, on the delegate queue, by a session with an identifier that found tasks of an earlier process: after
  /// the last `didCompleteWithError` of those that had ended. Tasks that go on may call back before and after (Apple:
  /// `urlSessionDidFinishEvents(forBackgroundURLSession:)`).
  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

extension DownloadSessionDelegate {
  public func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {}
  public func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {}
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: DownloadMetrics
  ) {}
  public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
}
