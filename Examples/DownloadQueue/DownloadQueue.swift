import Console
import Foundation
import FoundationNetworking
import ResumableDownloads

/// Large downloads, so many at a time, in a session that outlives the process.
///
/// The session has an identifier, so its tasks are recorded on disk. A program that was killed makes the same session
/// again and has them all, the running ones running. Everything here happens on the main actor: the session calls its
/// delegate on the main queue.
@MainActor
final class DownloadQueue: NSObject {
  private let identifier: String
  private let folder: URL
  private let maximum: Int
  private var lines: [Int: ProgressLine] = [:]
  private lazy var session = makeSession()

  init(named identifier: String, savingTo folder: URL, maximum: Int) {
    self.identifier = identifier
    self.folder = folder
    self.maximum = maximum
  }

  private func makeSession() -> DownloadSession {
    // Sessions with an identifier wait for the network and try again after failures without being told to.
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    configuration.maximumConcurrentDownloads = maximum
    return DownloadSession(configuration: configuration, delegate: self, delegateQueue: .main)
  }

  /// Puts a download at the end of the queue.
  func add(_ url: URL) {
    let task = session.downloadTask(with: URLRequest(url: url), to: folder.appendingPathComponent(fileName(for: url)))
    say("\(name(of: task)): added")
    task.resume()
  }

  /// Takes a download out of the queue, and what there is of it from the disk.
  func cancel(_ url: URL) async {
    let tasks = await session.allTasks.filter { $0.originalRequest?.url == url }
    if tasks.isEmpty { say("it is not in the queue") }
    for task in tasks { task.cancel() }
  }

  /// Says how far each download is. At the start those are what an earlier process has left.
  func list() async {
    let tasks = await session.allTasks
    say("\(tasks.count) in the queue")
    for task in tasks { say("\(name(of: task)): \(task.countOfBytesReceived) bytes") }
  }

  private nonisolated func name(of task: URLSessionTask) -> String {
    task.originalRequest?.url.map(fileName) ?? "unknown"
  }
}

extension DownloadQueue: DownloadSessionDelegate {
  nonisolated func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    say("\(name(of: task)): waiting for the network")
  }

  nonisolated func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    say("\(name(of: downloadTask)): continued at byte \(fileOffset)")
  }

  nonisolated func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    MainActor.assumeIsolated {
      lines[downloadTask.taskIdentifier, default: ProgressLine(name(of: downloadTask))]
        .show(totalBytesWritten, of: totalBytesExpectedToWrite)
    }
  }

  nonisolated func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    // The file is where it belongs already: the task was given its destination.
  }

  nonisolated func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    MainActor.assumeIsolated {
      lines[task.taskIdentifier] = nil
      guard let error else { return say("\(name(of: task)): saved") }
      let isCancelled = (error as? URLError)?.code == .cancelled
      say("\(name(of: task)): \(isCancelled ? "cancelled" : "failed: \(error.localizedDescription)")")
    }
  }

  nonisolated func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    say("caught up with the process before")
  }
}
