import Foundation

/// lighttpd; compresses and has TLS only if its modules are installed in Debian's folder.
public struct Lighttpd: RealServer {
  private static let tlsModule = "/usr/lib/lighttpd/mod_openssl.so"
  private static let compressionModule = "/usr/lib/lighttpd/mod_deflate.so"

  /// Whether it is installed together with its module for compression, which is a package of its own.
  public static var canCompress: Bool {
    Products.isInstalled("lighttpd") && FileManager.default.fileExists(atPath: compressionModule)
  }

  /// The process.
  public let process: ServerProcess

  /// Starts lighttpd; see `RealServer`. Its speed is set in whole KiB per second.
  public static func start(root: String, options: ServerOptions) async throws -> Lighttpd {
    if options.compresses, !canCompress {
      throw TestSupportError.unsupported("compression by lighttpd without its module mod_deflate")
    }
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
    let compression = """
      server.modules += ("mod_deflate")
      deflate.mimetypes = ("text/plain")
      deflate.allowed-encodings = ("gzip")
      """
    // By default it keeps what it knows of a file for a second, and then sends the old entity tag and the old length
    // with the bytes of a file that was written over. No client can notice that.
    return """
      server.stat-cache-engine = "disable"
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
      \(options.compresses ? compression : "")
      """
  }
}
