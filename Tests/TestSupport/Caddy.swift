import Foundation

/// Caddy; cannot limit its speed.
public struct Caddy: LoggingServer {
  /// What is looked at in a line of its log.
  private struct Line: Decodable {
    struct Request: Decodable {
      let method: String
      let uri: String
      let proto: String
      let headers: [String: [String]]
    }

    let request: Request
    let status: Int
    let size: Int64
    /// When the line was written, in seconds.
    let ts: Double
    /// How long it took until then, in seconds.
    let duration: Double
  }

  /// The process.
  public let process: ServerProcess

  /// Starts Caddy; see `RealServer`.
  public static func start(root: String, options: ServerOptions) async throws -> Caddy {
    if options.bytesPerSecond != nil { throw TestSupportError.unsupported("a speed limit in Caddy") }
    let program = try Products.installed("caddy")
    let process = try await ServerProcess.start(program, options: options) { setting in
      let text = configuration(root, options, setting)
      let path = try setting.folder.write(Data(text.utf8), to: "Caddyfile")
      return ["run", "--adapter", "caddyfile", "--config", path]
    }
    return Caddy(process: process)
  }

  /// See `LoggingServer`.
  public static func access(_ line: Substring) -> LoggedRequest? {
    guard let line = try? JSONDecoder().decode(Line.self, from: Data(line.utf8)) else { return nil }
    let request = line.request
    return LoggedRequest(
      method: request.method, target: request.uri, status: line.status, range: request.headers["Range"]?.first,
      ifRange: request.headers["If-Range"]?.first, bodyBytes: line.size, version: request.proto,
      resumesTLS: false, arrival: line.ts - line.duration)
  }

  private static func configuration(_ root: String, _ options: ServerOptions, _ setting: ServerProcess.Setting)
    -> String
  {
    let protocols = options.allowsHTTP2 ? (options.usesTLS ? "h1 h2" : "h1 h2c") : "h1"
    // Without a grace period Caddy ends only after its last connection, however long a client holds that.
    return """
      {
        admin off
        grace_period 1s
        auto_https off
        skip_install_trust
        servers {
          protocols \(protocols)
        }
      }
      \(setting.certificate == nil ? "http" : "https")://127.0.0.1:\(setting.port) {
        bind 127.0.0.1
        log {
          output file \(setting.folder.path("access.log"))
          format json
        }
        root * \(root)
        \(setting.certificate.map { "tls \($0.certificate) \($0.key)" } ?? "")
        \(options.compresses ? "encode gzip" : "")
        file_server
      }
      """
  }
}
