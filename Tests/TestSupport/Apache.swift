import Foundation
import Glibc

/// Apache httpd with the modules from Debian's folder; has every option.
///
/// Started by root it serves as `www-data`, which must be able to read the root folder.
public struct Apache: RealServer {
  private static let modules = "/usr/lib/apache2/modules"

  /// The process.
  public let process: ServerProcess

  /// Starts Apache; see `RealServer`. Its speed is set in whole KiB per second.
  public static func start(root: String, options: ServerOptions) async throws -> Apache {
    let program = try Products.installed("apache2")
    let process = try await ServerProcess.start(program, options: options) { setting in
      let text = configuration(root, options, setting)
      let path = try setting.folder.write(Data(text.utf8), to: "apache.conf")
      return ["-D", "FOREGROUND", "-d", setting.folder.path, "-f", path]
    }
    return Apache(process: process)
  }

  private static func configuration(_ root: String, _ options: ServerOptions, _ setting: ServerProcess.Setting)
    -> String
  {
    let folder = setting.folder.path
    var names = ["mpm_event", "authz_core", "mime", "env", "setenvif"]
    if options.usesTLS { names.append("ssl") }
    if options.allowsHTTP2 { names.append("http2") }
    if options.compresses { names += ["filter", "deflate"] }
    if options.bytesPerSecond != nil { names.append("ratelimit") }
    let loading = names.map { "LoadModule \($0)_module \(modules)/mod_\($0).so" }.joined(separator: "\n")
    let certificate = setting.certificate.map {
      "SSLEngine on\nSSLCertificateFile \($0.certificate)\nSSLCertificateKeyFile \($0.key)"
    }
    let speed = options.bytesPerSecond.map { "SetOutputFilter RATE_LIMIT\nSetEnv rate-limit \(max(1, $0 / 1024))" }
    return """
      \(loading)
      ServerName localhost
      Listen 127.0.0.1:\(setting.port)
      PidFile \(folder)/apache.pid
      DefaultRuntimeDir \(folder)
      Mutex file:\(folder)
      ErrorLog \(folder)/error.log
      \(getuid() == 0 ? "User www-data\nGroup www-data" : "")
      TypesConfig /dev/null
      AddType text/plain .txt
      StartServers 1
      ServerLimit 2
      \(certificate ?? "")
      \(options.allowsHTTP2 ? "Protocols h2 h2c http/1.1" : "Protocols http/1.1")
      DocumentRoot \(root)
      <Directory \(root)>
        Require all granted
        \(speed ?? "")
        \(options.compresses ? "SetOutputFilter DEFLATE" : "")
      </Directory>
      """
  }
}
