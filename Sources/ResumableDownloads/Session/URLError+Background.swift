public import Foundation
internal import FoundationNetworking

extension URLError {
  /// Why the system cancelled a task of a background session (Apple: `URLError.BackgroundTaskCancelledReason`).
  public enum BackgroundTaskCancelledReason: Int, Sendable {
    /// The user forced the program to quit.
    case userForceQuitApplication = 0
    /// The user turned background updates off.
    case backgroundUpdatesDisabled = 1
    /// The system lacked resources.
    case insufficientSystemResources = 2
  }

  /// Why the system cancelled the task; `nil` when it did not.
  ///
  /// `DownloadSession` never cancels a task by itself, however the process ends, so its errors carry no reason.
  public var backgroundTaskCancelledReason: BackgroundTaskCancelledReason? {
    let number = userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] as? Int
    return number.flatMap { BackgroundTaskCancelledReason(rawValue: $0) }
  }
}
