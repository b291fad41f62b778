import Foundation
import FoundationNetworking

/// What happens to one download, in the order in which it happens.
enum TransferEvent: Sendable {
  case resumed(at: Int64)
  case received(Int64, of: Int64?)
  case delivered
  case completed((any Error)?)
}

/// Turns delegate callbacks into a sequence that ends with `completed`.
final class TransferWatcher: NSObject, URLSessionDownloadDelegate {
  let events: AsyncStream<TransferEvent>
  private let continuation: AsyncStream<TransferEvent>.Continuation
  private let keptFile: URL?

  /// - Parameter keptFile: Where to move the delivered file, which otherwise stays where the session put it.
  init(keptFile: URL? = nil) {
    (events, continuation) = AsyncStream.makeStream()
    self.keptFile = keptFile
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    continuation.yield(.resumed(at: fileOffset))
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    let total = totalBytesExpectedToWrite > 0 ? totalBytesExpectedToWrite : nil
    continuation.yield(.received(totalBytesWritten, of: total))
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    guard let keptFile else {
      continuation.yield(.delivered)
      return
    }
    // A temporary file is gone when this call returns, so it is moved here and not by whoever reads the events.
    do {
      try FileManager.default.moveItem(at: location, to: keptFile)
      continuation.yield(.delivered)
    } catch {
      Output.message("rget: cannot move the file to \(keptFile.path): \(Failure.sentence(error)).")
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    continuation.yield(.completed(error))
    continuation.finish()
  }
}
