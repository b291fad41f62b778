public import Foundation

/// A real web server on a free loopback port, with a configuration of its own in a temporary folder.
///
/// It runs until `stop()` or until it is released.
public protocol RealServer: Sendable {
  /// The process.
  var process: ServerProcess { get }

  /// Starts the server for the files below `root`, and returns when it listens.
  ///
  /// - Throws: `TestSupportError.serverMissing` if it is not installed, `.unsupported` for an option that it lacks.
  static func start(root: String, options: ServerOptions) async throws -> Self
}

/// What a real server does beyond serving files.
public struct ServerOptions: Sendable {
  /// The speed of each response in bytes per second; nil does not limit it.
  public var bytesPerSecond: Int?
  /// HTTPS with a certificate made for this server; see `ServerProcess.certificate`.
  public var usesTLS: Bool
  /// PEM file with those who may sign the certificate that each client has to show; nil asks for none.
  public var clientAuthority: String?
  /// The only version of TLS, as the server's configuration spells it; nil leaves it to the server.
  public var tlsVersion: String?
  /// HTTP/2 beside HTTP/1.1.
  public var allowsHTTP2: Bool
  /// Compression of what the server takes for text, for clients that accept it.
  public var compresses: Bool

  /// Plain HTTP/1.1 at full speed, unless told otherwise.
  public init(bytesPerSecond: Int? = nil, usesTLS: Bool = false, allowsHTTP2: Bool = false, compresses: Bool = false) {
    self.bytesPerSecond = bytesPerSecond
    self.usesTLS = usesTLS
    self.allowsHTTP2 = allowsHTTP2
    self.compresses = compresses
  }
}

extension RealServer {
  /// Starts the server for the files below `root`, with plain HTTP/1.1 at full speed.
  public static func start(root: String) async throws -> Self {
    try await start(root: root, options: ServerOptions())
  }

  /// The URL of a path, which must begin with a slash and be valid in a URL.
  public func url(_ path: String) -> URL {
    let text = "\(process.scheme)://127.0.0.1:\(process.port)\(path)"
    guard let url = URL(string: text) else { preconditionFailure("not a URL: \(text)") }
    return url
  }

  /// The certificate to trust, in PEM; nil without TLS.
  public var certificate: String? { process.certificate }

  /// Ends the server and waits until it has ended.
  public func stop() async throws { try await process.stop() }
}
