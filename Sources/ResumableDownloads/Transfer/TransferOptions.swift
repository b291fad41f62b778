/// Connection settings that all requests of a session share.
struct TransferOptions: Sendable, Equatable {
  /// A version of TLS, in libcurl's order (CURLOPT_SSLVERSION(3)).
  enum TLSVersion: Sendable, Equatable {
    case tls10, tls11, tls12, tls13
  }

  /// A certificate that proves who the client is, as PEM files (CURLOPT_SSLCERT(3), CURLOPT_SSLKEY(3)).
  struct ClientCertificate: Sendable, Equatable {
    var certificatePath: String
    var keyPath: String
    var password: String?
  }

  /// Exchanges with one origin at a time; the others wait before they are handed to libcurl, so no timer runs for them.
  var maximumConnectionsPerHost = 6
  /// Downloads of the session at a time; zero or less means any number.
  var maximumDownloads = 0
  /// The proxies to use; `nil` stands for those that the environment names (libcurl-env(3)).
  var proxies: ProxyTable?
  /// PEM file with the only certificates to trust; `nil` stands for the system's (CURLOPT_CAINFO(3)).
  var trustAnchorsPath: String?
  var clientCertificate: ClientCertificate?
  var minimumTLSVersion: TLSVersion?
}

/// Which proxy a request goes through.
struct ProxyTable: Sendable, Equatable {
  /// One proxy as libcurl takes it (CURLOPT_PROXY(3)).
  struct Proxy: Sendable, Equatable {
    /// With its scheme: `http://host:port`, or `socks5h://` for one that resolves names too.
    var url: String
    var user: String?
    var password: String?
  }

  var http: Proxy?
  var https: Proxy?
  /// Hosts and domains that are reached directly (CURLOPT_NOPROXY(3)).
  var exceptions: [String] = []
}
