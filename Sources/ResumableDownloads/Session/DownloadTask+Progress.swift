internal import Dispatch
internal import Foundation
internal import Synchronization

/// What `progress` does to its task.
extension DownloadTask {
  /// One after the other: FoundationNetworking calls the handlers of `Progress` on a concurrent queue, in any order.
  static let progressQueue = DispatchQueue(label: "ResumableDownloads.progress")

  /// Does what `progress` was told last.
  func followProgress(isResuming: Bool) {
    let isPaused = reported.isPaused
    let changes = locked.withLock { state in
      defer { state.isPausedByProgress = isPaused }
      return state.isPausedByProgress != isPaused
    }
    if isPaused, changes { suspend() }
    // Resuming what nobody paused starts the task, as `resume()` does.
    if !isPaused, changes || isResuming { resume() }
  }
}
