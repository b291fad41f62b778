import Foundation
import Glibc
import LoopbackServer

/// A running server, its port and its temporary folder.
public final class ServerProcess: Sendable {
  /// What a server needs to know for its configuration.
  struct Setting: Sendable {
    let folder: TemporaryFolder
    let port: UInt16
    let certificate: SelfSignedCertificate?
  }

  /// How often another port is tried if the server does not get the one that was free a moment ago.
  private static let attempts = 5

  /// The port on 127.0.0.1.
  public let port: UInt16
  /// `http` or `https`.
  public let scheme: String
  /// The process.
  public let child: ChildProcess
  let folder: TemporaryFolder
  private let ownCertificate: SelfSignedCertificate?

  private init(_ child: ChildProcess, _ setting: Setting) {
    self.child = child
    port = setting.port
    folder = setting.folder
    ownCertificate = setting.certificate
    scheme = setting.certificate == nil ? "http" : "https"
  }

  /// The path of the certificate to trust, in PEM; nil without TLS.
  public var certificate: String? { ownCertificate?.certificate }

  /// Starts a server and returns when it listens.
  ///
  /// - Parameters:
  ///   - program: The path of its program.
  ///   - options: Only whether a certificate is needed is looked at.
  ///   - arguments: Writes the configuration and returns the program's arguments.
  static func start(
    _ program: String, options: ServerOptions, arguments: (Setting) throws -> [String]
  ) async throws -> ServerProcess {
    let folder = try TemporaryFolder("server")
    let certificate = options.usesTLS ? try await SelfSignedCertificate.make(in: folder) : nil
    var failure = ""
    for _ in 0..<attempts {
      let setting = Setting(folder: folder, port: try ListeningPort.free(), certificate: certificate)
      let child = try ChildProcess(
        program, try arguments(setting),
        environment: ["HOME": folder.path, "XDG_DATA_HOME": folder.path, "XDG_CONFIG_HOME": folder.path],
        // A killed nginx or Apache would leave its workers behind.
        folder: folder.path, lastSignal: SIGTERM)
      let server = ServerProcess(child, setting)
      if try await server.isReady() { return server }
      failure = String(decoding: child.errors + child.output, as: UTF8.self) + server.log("error.log")
    }
    throw TestSupportError.serverFailed(String(failure.suffix(2000)))
  }

  /// Ends the server and waits until it has ended, within a minute.
  func stop() async throws {
    child.send(SIGTERM)
    _ = try await child.waitForExit()
  }

  /// What the server wrote to a file of its folder; empty if there is none.
  func log(_ name: String) -> String {
    (try? String(contentsOfFile: folder.path(name), encoding: .utf8)) ?? ""
  }

  /// True when the server listens, false if it has ended instead.
  ///
  /// The kernel does not tell of a new listener, but each server has something to write then: the file with its process
  /// identifier into its folder, or a line.
  private func isReady() async throws -> Bool {
    try await child.reaches("a server to listen on port \(port)", in: folder.path) { [port, child] _ in
      // More than once: the kernel's list is read in parts and changes between them, so a line may be missed, and
      // nothing more may happen that has it looked at again.
      (0..<3).contains { _ in ListeningPort.isHeld(port, by: child.identifier) }
    }
  }
}
