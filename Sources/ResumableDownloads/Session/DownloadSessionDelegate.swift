public import FoundationNetworking

/// Callbacks that Apple documents and FoundationNetworking's protocols lack. All are optional.
///
/// A delegate of a `DownloadSession` that conforms to this protocol receives them; one that does not loses nothing else.
public protocol DownloadSessionDelegate: URLSessionDownloadDelegate {
  /// A task was made. Called synchronously, before the factory returns, on the caller's thread and not on the delegate
  /// queue (Apple: `urlSession(_:didCreateTask:)`).
  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)
}

extension DownloadSessionDelegate {
  public func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {}
}
