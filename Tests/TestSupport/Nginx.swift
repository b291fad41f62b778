import Foundation
import Glibc
import LoopbackServer

/// nginx with one worker; has every option, and an access log.
public struct Nginx: LoggingServer {
  /// The process.
  public let process: ServerProcess

  /// Starts nginx; see `RealServer`.
  public static func start(root: String, options: ServerOptions) async throws -> Nginx {
    try await start(serving: "root \(root);", options)
  }

  /// Starts nginx in front of another server, to which it passes every request as it is.
  ///
  /// What it receives goes on at once. It is one process, so that killing it cuts every connection.
  public static func start(inFrontOf origin: String, options: ServerOptions) async throws -> Nginx {
    let passing = "location / { proxy_pass \(origin); proxy_http_version 1.1; proxy_buffering off; }"
    return try await start(serving: passing, options, isOneProcess: true)
  }

  private static func start(
    serving: String, _ options: ServerOptions, isOneProcess: Bool = false
  ) async throws -> Nginx {
    let program = try Products.installed("nginx")
    let process = try await ServerProcess.start(program, options: options) { setting in
      let text = (isOneProcess ? "master_process off;\n" : "") + configuration(serving, options, setting)
      let path = try setting.folder.write(Data(text.utf8), to: "nginx.conf")
      return ["-p", setting.folder.path, "-c", path, "-e", setting.folder.path("error.log")]
    }
    return Nginx(process: process)
  }

  /// See `LoggingServer`.
  public static func access(_ line: Substring) -> LoggedRequest? {
    let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 10, let status = Int(parts[2]), let bodyBytes = Int64(parts[5]),
      let connection = Double(parts[7]), let number = Double(parts[8])
    else { return nil }
    return LoggedRequest(
      method: parts[0], target: parts[1], status: status, range: parts[3].isEmpty ? nil : parts[3],
      ifRange: parts[4].isEmpty ? nil : parts[4], bodyBytes: bodyBytes, version: parts[6],
      resumesTLS: parts[9] == "r",
      // The times that nginx can tell are too coarse.
      arrival: connection * 1_000_000 + number)
  }

  private static func configuration(_ serving: String, _ options: ServerOptions, _ setting: ServerProcess.Setting)
    -> String
  {
    let folder = setting.folder.path
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)/\($0);" }
    let listen =
      "listen 127.0.0.1:\(setting.port)\(options.usesTLS ? " ssl" : "")\(options.allowsHTTP2 ? " http2" : "");"
    let certificate = setting.certificate.map {
      "ssl_certificate \($0.certificate); ssl_certificate_key \($0.key);"
        + (options.clientAuthority.map { " ssl_client_certificate \($0); ssl_verify_client on;" } ?? "")
        + (options.tlsVersion.map { " ssl_protocols \($0);" } ?? "")
    }
    let fields = [
      "request_method", "request_uri", "status", "http_range", "http_if_range", "body_bytes_sent", "server_protocol",
      "connection", "connection_requests", "ssl_session_reused",
    ].map { "$\($0)" }.joined(separator: "\t")
    return """
      daemon off;
      worker_processes 1;
      \(getuid() == 0 ? "user root;" : "")
      pid \(folder)/nginx.pid;
      error_log \(folder)/error.log;
      events { worker_connections 256; }
      http {
        log_format parts escape=none '\(fields)';
        access_log \(folder)/access.log parts;
        \(temporary.joined(separator: " "))
        types { text/plain txt; text/html html; }
        default_type application/octet-stream;
        sendfile on;
        \(options.compresses ? "gzip on; gzip_types *; gzip_min_length 0;" : "")
        \(options.bytesPerSecond.map { "limit_rate \($0);" } ?? "")
        server { \(listen) \(certificate ?? "") \(serving) }
      }
      """
  }
}
