import Foundation
import FoundationNetworking
import ResumableDownloads

/// The downloads of one folder, keyed by URL.
///
/// How far each is can be seen from the folder: from finished files, and from the partial files that the session keeps
/// hidden beside them. So it makes no difference whether an earlier run paused a download, quit, or was killed.
/// Everything here happens on the main actor: the session calls its delegate on the main queue.
@MainActor
final class Downloads: NSObject {
  enum State {
    case running, paused, completed
    case failed(any Error)
  }

  /// How much of a file is there; the total is nil until the server has told it.
  struct Size {
    var received: Int64
    var total: Int64?
  }

  private struct Running {
    let task: DownloadTask
    let progress: (Size) -> Void
    let state: (State) -> Void
  }

  private let folder: URL
  private var names: FileNames
  private var running: [URL: Running] = [:]
  private lazy var session = DownloadSession(configuration: .default, delegate: self, delegateQueue: .main)

  init(in folder: URL) throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    names = try FileNames(in: folder)
  }

  /// Starts a download, or continues what is there of it. Both closures are called on the main actor.
  func start(_ url: URL, progress: @escaping (Size) -> Void, state: @escaping (State) -> Void) {
    guard running[url] == nil else { return state(.running) }
    do {
      let file = folder.appendingPathComponent(try names.name(for: url))
      if FileManager.default.fileExists(atPath: file.path) { return state(.completed) }
      let task = session.downloadTask(with: URLRequest(url: url), to: file)
      running[url] = Running(task: task, progress: progress, state: state)
      task.resume()
      state(.running)
    } catch {
      state(.failed(error))
    }
  }

  /// Stops a download; its state becomes `paused`. What has arrived stays beside the destination.
  ///
  /// - Returns: Whether it was running.
  func pause(_ url: URL) async -> Bool {
    guard let task = running[url]?.task else { return false }
    // The resume data itself is not needed: the next task with this destination finds the partial file.
    _ = await task.cancelByProducingResumeData()
    return true
  }

  func pauseAll() async {
    for url in running.keys { _ = await pause(url) }
  }

  /// What is in the folder, of this run and of earlier ones.
  func sizes() throws -> [URL: Size] {
    var sizes: [URL: Size] = [:]
    for (url, name) in names.all {
      let file = folder.appendingPathComponent(name)
      guard FileManager.default.fileExists(atPath: file.path) else { continue }
      let size = Int64(try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
      sizes[url] = Size(received: size, total: size)
    }
    for partial in try DownloadSession.abandonedDownloads(in: folder) {
      sizes[partial.url] = Size(received: partial.byteOffset, total: partial.expectedTotalBytes)
    }
    for (url, running) in running {
      let total = running.task.countOfBytesExpectedToReceive
      sizes[url] = Size(received: running.task.countOfBytesReceived, total: total >= 0 ? total : nil)
    }
    return sizes
  }
}

extension Downloads: URLSessionDownloadDelegate {
  nonisolated func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    report(downloadTask, Size(received: fileOffset, total: expectedTotalBytes >= 0 ? expectedTotalBytes : nil))
  }

  nonisolated func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    let total = totalBytesExpectedToWrite >= 0 ? totalBytesExpectedToWrite : nil
    report(downloadTask, Size(received: totalBytesWritten, total: total))
  }

  private nonisolated func report(_ task: URLSessionTask, _ size: Size) {
    MainActor.assumeIsolated {
      guard let url = task.originalRequest?.url else { return }
      running[url]?.progress(size)
    }
  }

  nonisolated func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    // The file is where it belongs already: the task was given its destination.
  }

  nonisolated func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    MainActor.assumeIsolated {
      guard let url = task.originalRequest?.url, let ended = running.removeValue(forKey: url) else { return }
      switch error {
      case nil: ended.state(.completed)
      case let error as URLError where error.code == .cancelled: ended.state(.paused)
      case let error?: ended.state(.failed(error))
      }
    }
  }
}
