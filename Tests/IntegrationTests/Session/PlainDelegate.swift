import Foundation
import FoundationNetworking

/// A delegate as programs have it that know nothing of this package: this file imports only Foundation's modules.
final class PlainDelegate: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, @unchecked Sendable {
  // Everything is read and written under the lock.
  private let lock = NSLock()
  private var names: [String] = []
  private var taken = Data()
  private var received = Data()
  private let onEnd: @Sendable (String) -> Void

  /// - Parameter onEnd: Called in `didCompleteWithError` and in `didBecomeInvalidWithError`.
  init(onEnd: @escaping @Sendable (String) -> Void) { self.onEnd = onEnd }

  var calls: [String] { lock.withLock { names } }
  var file: Data { lock.withLock { taken } }
  var data: Data { lock.withLock { received } }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    note("write")
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    lock.withLock { taken = (try? Data(contentsOf: location)) ?? Data() }
    note("finish")
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    lock.withLock { received.append(data) }
    note("data")
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let name = error == nil ? "complete" : "fail"
    note(name)
    onEnd(name)
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    note("invalid")
    onEnd("invalid")
  }

  /// Repeated calls of one kind count as one.
  private func note(_ name: String) {
    lock.withLock { if names.last != name { names.append(name) } }
  }
}
