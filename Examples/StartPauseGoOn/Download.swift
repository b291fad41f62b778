import Console
import Foundation
import FoundationNetworking
import ResumableDownloads

/// One download that is started, paused and continued with the task's own `resume` and `suspend`.
///
/// Everything here happens on the main actor: the session calls its delegate on the main queue.
@MainActor
final class Download: NSObject {
  private let url: URL
  private let file: URL
  private var progress = ProgressLine()
  private lazy var session = DownloadSession(configuration: .default, delegate: self, delegateQueue: .main)
  private lazy var task = session.downloadTask(with: URLRequest(url: url), to: file)

  init(from url: URL, to file: URL) {
    self.url = url
    self.file = file
  }

  /// Starts the task, which is made suspended, or continues it after a pause.
  func goOn() {
    guard task.state == .suspended else { return say("it is not paused") }
    say("running from byte \(task.countOfBytesReceived)")
    task.resume()
  }

  /// Stops reading from the server. If the server does not wait that long, the task later asks for the rest.
  func pause() {
    // Calls of `suspend` nest: after two of them one `resume` would not be enough.
    guard task.state == .running else { return say("it is not running") }
    task.suspend()
    say("paused at byte \(task.countOfBytesReceived)")
  }

  /// Keeps what there is: the same command continues it.
  func quit() async {
    _ = await task.cancelByProducingResumeData()
    exit(0)
  }
}

extension Download: URLSessionDownloadDelegate {
  nonisolated func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    say("an earlier run got as far as byte \(fileOffset)")
  }

  nonisolated func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    MainActor.assumeIsolated { progress.show(totalBytesWritten, of: totalBytesExpectedToWrite) }
  }

  nonisolated func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    say("saved \(location.lastPathComponent)")
  }

  nonisolated func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let error else { exit(0) }
    // That is what `quit` asked for.
    if (error as? URLError)?.code == .cancelled { return }
    say("failed: \(error.localizedDescription)")
    exit(1)
  }
}
