internal import Foundation

/// One HTTP request as it goes on the wire: one hop, without redirects.
struct TransferRequest: Sendable {
  /// The exact address: never re-encoded on the way to libcurl.
  var url: String
  var method: String
  var fields: [HeaderField]
  var body: Data?
  /// The user who asks, once a server wanted to know.
  var credential: TransferCredential?
  /// Seconds without any byte before the exchange fails; zero or less means never.
  var inactivityTimeout: Double
  var options: TransferOptions
}

/// A name and a password, and how libcurl has to prove them (CURLOPT_HTTPAUTH(3)).
struct TransferCredential: Sendable, Equatable {
  enum Scheme: Sendable, Equatable {
    case basic
    case digest
  }

  var user: String
  var password: String
  var scheme: Scheme
}
