public import Foundation
public import FoundationNetworking

/// Settings of a `DownloadSession` that FoundationNetworking's class lacks. All are copied when the session is made;
/// later changes have no effect on it (Apple: `URLSession.configuration`).
extension URLSessionConfiguration {
  /// The folder in which a `DownloadSession` keeps partial files; copied when the session is made.
  ///
  /// `nil`, the default, means a private folder under `FileManager.default.temporaryDirectory`. The folder is created
  /// with mode 0700 when it is missing. One that belongs to another user, that others may read or that is a symbolic
  /// link is refused: tasks then fail with `URLError.cannotOpenFile`. A session with an identifier makes a folder of
  /// its own in there, see `background(withIdentifier:)`.
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

  /// Which header fields of a request go into resume data, and with them into the journals on disk; all by default.
  ///
  /// A field that is left out has to come from somewhere else on resume: from `httpAdditionalHeaders` of the session
  /// that continues, or by `ResumeData.replacingRequest(_:)`.
  public var resumeDataHeaderPolicy: ResumeDataHeaderPolicy {
    get { SessionSettingsTable.settings(of: self).resumeDataHeaderPolicy }
    set { SessionSettingsTable.update(self) { $0.resumeDataHeaderPolicy = newValue } }
  }

  /// Whether tasks wait for the network when there is none, instead of failing with `notConnectedToInternet`; `false`
  /// by default.
  ///
  /// Only a missing way to any other host is waited for: no address, no route. The delegate hears of it once a task
  /// (`taskIsWaitingForConnectivity`). The kernel tells when addresses, routes, `/etc/resolv.conf` or `/etc/hosts`
  /// change; then the task tries again. `timeoutIntervalForResource` bounds the wait (Apple: `waitsForConnectivity`).
  public var waitsForConnectivity: Bool {
    get { SessionSettingsTable.settings(of: self).waitsForConnectivity }
    set { SessionSettingsTable.update(self) { $0.waitsForConnectivity = newValue } }
  }

  /// How many downloads of the session run at a time; the others wait, ordered by `priority` and then by age. Zero, the
  /// default, means any number, within `httpMaximumConnectionsPerHost` for each host.
  ///
  /// A suspended download does not count.
  public var maximumConcurrentDownloads: Int {
    get { SessionSettingsTable.settings(of: self).maximumConcurrentDownloads }
    set { SessionSettingsTable.update(self) { $0.maximumConcurrentDownloads = max(0, newValue) } }
  }

  /// Bytes per second that all downloads of the session share; zero, the default, means no limit.
  ///
  /// One task can have a limit of its own: `DownloadTask.bytesPerSecondLimit`.
  public var bytesPerSecondLimit: Int64 {
    get { SessionSettingsTable.settings(of: self).bytesPerSecondLimit }
    set { SessionSettingsTable.update(self) { $0.bytesPerSecondLimit = max(0, newValue) } }
  }

  /// A PEM file with the only certificate authorities to trust; `nil`, the default, means those of the system.
  ///
  /// A file that is missing or no PEM fails each https task with `URLError.secureConnectionFailed`
  /// (CURLOPT_CAINFO(3)).
  public var trustAnchorsFile: URL? {
    get { SessionSettingsTable.settings(of: self).trustAnchorsFile }
    set { SessionSettingsTable.update(self) { $0.trustAnchorsFile = newValue } }
  }

  /// The certificate that proves to servers who the client is; `nil` by default.
  public var clientCertificate: ClientCertificate? {
    get { SessionSettingsTable.settings(of: self).clientCertificate }
    set { SessionSettingsTable.update(self) { $0.clientCertificate = newValue } }
  }

  /// The oldest version of TLS to accept; `nil`, the default, leaves it to libcurl (Apple:
  /// `tlsMinimumSupportedProtocolVersion`, whose values are spelled the same).
  public var tlsMinimumSupportedProtocolVersion: TLSVersion? {
    get { SessionSettingsTable.settings(of: self).minimumTLSVersion }
    set { SessionSettingsTable.update(self) { $0.minimumTLSVersion = newValue } }
  }
}

/// A certificate and its private key, as PEM files that are read when a connection is made.
public struct ClientCertificate: Sendable, Equatable {
  /// The certificate, with the chain after it if there is one (CURLOPT_SSLCERT(3)).
  public var certificateFile: URL
  /// The private key; the same file as the certificate when it holds both (CURLOPT_SSLKEY(3)).
  public var keyFile: URL
  /// The password of the key, if it has one (CURLOPT_KEYPASSWD(3)).
  public var keyPassword: String?

  /// A certificate with its key.
  public init(certificateFile: URL, keyFile: URL, keyPassword: String? = nil) {
    self.certificateFile = certificateFile
    self.keyFile = keyFile
    self.keyPassword = keyPassword
  }
}

/// A version of TLS, spelled as Apple's `tls_protocol_version_t`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public enum TLSVersion: Sendable, Equatable, CaseIterable {
  /// TLS 1.0 (RFC 2246), which servers of today refuse.
  case TLSv10
  /// TLS 1.1 (RFC 4346), which servers of today refuse.
  case TLSv11
  /// TLS 1.2 (RFC 5246).
  case TLSv12
  /// TLS 1.3 (RFC 8446).
  case TLSv13
}
