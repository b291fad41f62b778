internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// Settings of ours that belong to a configuration.
struct SessionSettings: Sendable {
  var partialsDirectory: URL?
  var retryPolicy: RetryPolicy?
  var resumeDataHeaderPolicy = ResumeDataHeaderPolicy.all
  var waitsForConnectivity = false
  var maximumConcurrentDownloads = 0
  var bytesPerSecondLimit: Int64 = 0
  var trustAnchorsFile: URL?
  var clientCertificate: ClientCertificate?
  var minimumTLSVersion: TLSVersion?
  var sendsLaunchEvents = true
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
