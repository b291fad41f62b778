import Console
import Foundation
import FoundationNetworking
import ResumableDownloads

/// The classic: a lazy session whose delegate is the object that has it, and resume data between pause and continue.
///
/// Only the word `DownloadSession` tells it from the code of an app. Everything here happens on the main actor: the
/// session calls its delegate on the main queue.
@MainActor
final class Downloader: NSObject {
  private let file: URL
  private lazy var session = DownloadSession(configuration: .default, delegate: self, delegateQueue: .main)
  private var task: URLSessionDownloadTask?
  private var resumeData: Data?
  private var progress = ProgressLine()

  init(savingTo file: URL) {
    self.file = file
  }

  func start(_ url: URL) {
    guard task == nil, resumeData == nil else { return say("it was started already") }
    guard !FileManager.default.fileExists(atPath: file.path) else { return say("the file exists already") }
    run(session.downloadTask(with: url))
    say("started")
  }

  func pause() {
    guard let task else { return say("it is not running") }
    // What the task leaves is in the error of its last callback too; one place is enough to take it from.
    task.cancel(byProducingResumeData: { _ in })
  }

  func goOn() {
    guard let resumeData else { return say("there is nothing to continue") }
    self.resumeData = nil
    // Resume data makes a new task; the old one is over.
    run(session.downloadTask(withResumeData: resumeData))
  }

  private func run(_ task: URLSessionDownloadTask) {
    self.task = task
    task.resume()
  }

  /// Moves the file, which is gone when the delegate's method returns.
  private func save(_ location: URL, _ response: URLResponse?) {
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard (200..<300).contains(status) else { return say("the server answered with status \(status)") }
    do {
      try FileManager.default.moveItem(at: location, to: file)
      say("saved \(file.lastPathComponent)")
      exit(0)
    } catch {
      say("cannot save: \(error.localizedDescription)")
    }
  }

  private func ended(with error: any Error) {
    let error = error as? URLError
    resumeData = error?.downloadTaskResumeData
    let cause = error?.code == .cancelled ? "paused" : "failed: \(error?.localizedDescription ?? "")"
    say("\(cause), \(resumeData.map { "\($0.count) bytes of resume data" } ?? "nothing to continue with")")
  }
}

extension Downloader: URLSessionDownloadDelegate {
  nonisolated func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    say("continued at byte \(fileOffset) of \(expectedTotalBytes)")
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
    MainActor.assumeIsolated { save(location, downloadTask.response) }
  }

  nonisolated func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    MainActor.assumeIsolated {
      self.task = nil
      if let error { ended(with: error) }
    }
  }
}
