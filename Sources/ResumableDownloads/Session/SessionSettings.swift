public import Foundation
public import FoundationNetworking
internal import Synchronization

/// Settings of ours that belong to a configuration.
struct SessionSettings: Sendable {
  var partialsDirectory: URL?
  var retryPolicy: RetryPolicy?
}

/// Keeps the settings beside the configurations: their class cannot be extended with stored properties, and its
/// `copy()` drops subclasses.
enum SessionSettingsTable {
  private struct Entry {
    weak var owner: URLSessionConfiguration?
    var settings: SessionSettings
  }

  private static let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  static func settings(of configuration: URLSessionConfiguration) -> SessionSettings {
    entries.withLock { entries in
      guard let entry = entries[ObjectIdentifier(configuration)], entry.owner === configuration else {
        return SessionSettings()
      }
      return entry.settings
    }
  }

  static func update(_ configuration: URLSessionConfiguration, _ change: (inout SessionSettings) -> Void) {
    var settings = settings(of: configuration)
    change(&settings)
    let entry = Entry(owner: configuration, settings: settings)
    entries.withLock { entries in
      entries = entries.filter { $0.value.owner != nil }
      entries[ObjectIdentifier(configuration)] = entry
    }
  }
}

extension URLSessionConfiguration {
  /// The folder in which a `DownloadSession` keeps partial files; copied when the session is made.
  ///
  /// `nil`, the default, means a private folder under `FileManager.default.temporaryDirectory`. The folder is created
  /// with mode 0700 when it is missing. One that belongs to another user, that others may read or that is a symbolic
  /// link is refused: tasks then fail with `URLError.cannotOpenFile`.
  public var partialsDirectory: URL? {
    get { SessionSettingsTable.settings(of: self).partialsDirectory }
    set { SessionSettingsTable.update(self) { $0.partialsDirectory = newValue } }
  }

  /// How downloads of a `DownloadSession` try again by themselves; copied when the session is made.
  ///
  /// `nil`, the default, means that they do not: the first failure ends the task, as on Apple's systems.
  public var retryPolicy: RetryPolicy? {
    get { SessionSettingsTable.settings(of: self).retryPolicy }
    set { SessionSettingsTable.update(self) { $0.retryPolicy = newValue } }
  }
}
