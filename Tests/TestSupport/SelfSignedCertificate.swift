import Foundation

/// A certificate for 127.0.0.1 and localhost that only a test trusts.
public struct SelfSignedCertificate: Sendable {
  /// Paths of PEM files.
  public let certificate: String
  /// See `certificate`.
  public let key: String

  /// Makes one with the `openssl` command.
  public static func make(in folder: TemporaryFolder) async throws -> SelfSignedCertificate {
    let made = SelfSignedCertificate(certificate: folder.path("certificate.pem"), key: folder.path("key.pem"))
    let result = try await ChildProcess.run(
      try Products.installed("openssl"),
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
        "-keyout", made.key, "-out", made.certificate,
      ])
    guard result.isSuccess else { throw TestSupportError.commandFailed(result.errorText) }
    return made
  }

  /// Both in one file, as some servers want them.
  func combined(in folder: TemporaryFolder) throws -> String {
    let both = try Data(contentsOf: URL(fileURLWithPath: key)) + Data(contentsOf: URL(fileURLWithPath: certificate))
    return try folder.write(both, to: "combined.pem")
  }
}
