import Foundation

/// lighttpd; does not compress here, and has TLS only if its module is installed in Debian's folder.
public struct Lighttpd: RealServer {
  private static let tlsModule = "/usr/lib/lighttpd/mod_openssl.so"

  /// The process.
  public let process: ServerProcess

  /// Starts lighttpd; see `RealServer`. Its speed is set in whole KiB per second.
  public static func start(root: String, options: ServerOptions) async throws -> Lighttpd {
    if options.compresses { throw TestSupportError.unsupported("compression by lighttpd") }
    if options.usesTLS, !FileManager.default.fileExists(atPath: tlsModule) {
      throw TestSupportError.unsupported("TLS in lighttpd without its module mod_openssl")
    }
    let program = try Products.installed("lighttpd")
    let process = try await ServerProcess.start(program, options: options) { setting in
      let text = try configuration(root, options, setting)
      let path = try setting.folder.write(Data(text.utf8), to: "lighttpd.conf")
      return ["-D", "-f", path]
    }
    return Lighttpd(process: process)
  }

  private static func configuration(
    _ root: String, _ options: ServerOptions, _ setting: ServerProcess.Setting
  ) throws -> String {
    let folder = setting.folder.path
    let certificate = try setting.certificate.map { certificate in
      """
      server.modules += ("mod_openssl")
      ssl.engine = "enable"
      ssl.pemfile = "\(try certificate.combined(in: setting.folder))"
      """
    }
    return """
      server.bind = "127.0.0.1"
      server.port = \(setting.port)
      server.document-root = "\(root)"
      server.errorlog = "\(folder)/error.log"
      server.pid-file = "\(folder)/lighttpd.pid"
      server.upload-dirs = ("\(folder)")
      server.feature-flags = ("server.h2proto" => "\(options.allowsHTTP2 ? "enable" : "disable")")
      mimetype.assign = (".txt" => "text/plain", "" => "application/octet-stream")
      \(options.bytesPerSecond.map { "connection.kbytes-per-second = \(max(1, $0 / 1024))" } ?? "")
      \(certificate ?? "")
      """
  }
}
