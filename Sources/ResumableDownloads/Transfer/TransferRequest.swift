internal import Foundation

/// One HTTP request as it goes on the wire: one hop, without redirects.
struct TransferRequest: Sendable {
  /// The exact address: never re-encoded on the way to libcurl.
  var url: String
  var method: String
  var fields: [HeaderField]
  var body: Data?
  /// Seconds without any byte before the exchange fails; zero or less means never.
  var inactivityTimeout: Double
  var options: TransferOptions
}

/// Connection settings that all requests of a session share.
struct TransferOptions: Sendable, Equatable {
  /// Receive limit in bytes per second; 0 means none (CURLOPT_MAX_RECV_SPEED_LARGE(3)).
  var bytesPerSecond: Int64 = 0
  /// Exchanges with one origin at a time; the others wait before they are handed to libcurl, so no timer runs for them.
  var maximumConnectionsPerHost = 6
}
