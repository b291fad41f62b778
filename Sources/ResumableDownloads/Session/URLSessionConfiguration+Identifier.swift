internal import Foundation
public import FoundationNetworking

extension URLSessionConfiguration {
  /// A configuration for a `DownloadSession` whose download tasks outlive the process.
  ///
  /// Its tasks are recorded on disk. When the process has ended, in whatever way, a later process of the same program
  /// makes a session with the same identifier and has them again: those that ran go on by themselves, suspended ones
  /// stay suspended, and what the delegate was not told it is told now, then
  /// `urlSessionDidFinishEvents(forBackgroundURLSession:)`. Nothing is transferred while no process has the session,
  /// and `timeoutIntervalForResource` counts anew in each process. A task's record is synced before a call that changes
  /// it returns; `resumeDataHeaderPolicy` counts for it too. Requests whose body is larger than 4 MiB are refused with
  /// `URLError.badURL`.
  ///
  /// Only one session may have an identifier at a time: the tasks of a second one fail, with
  /// `URLError.backgroundSessionInUseByAnotherProcess` if another process has the first, else with
  /// `URLError.resourceUnavailable`. Invalidate a session, and wait for `didBecomeInvalidWithError`, before you make
  /// another. Completion handlers and async calls fail with `URLError.resourceUnavailable`; Apple raises an exception.
  ///
  /// The records and partial files lie in a folder for this program and identifier under `XDG_STATE_HOME`, by default
  /// `~/.local/state`; with `partialsDirectory`, in a folder for the identifier in there. A program is known by the
  /// name of its file. `retryPolicy` is set to its defaults and `waitsForConnectivity` to `true`; redirects are
  /// followed without asking the delegate (Apple: `background(withIdentifier:)`).
  public class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.default
    configuration.identifier = identifier
    configuration.retryPolicy = RetryPolicy()
    configuration.waitsForConnectivity = true
    return configuration
  }

  /// Kept, and without effect: nothing on Linux starts a program because its downloads have ended.
  ///
  /// `true` by default, as Apple has it.
  public var sessionSendsLaunchEvents: Bool {
    get { SessionSettingsTable.settings(of: self).sendsLaunchEvents }
    set { SessionSettingsTable.update(self) { $0.sendsLaunchEvents = newValue } }
  }
}
