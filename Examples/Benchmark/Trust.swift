import TestSupport

/// Lets every program trust the server's certificate, also those without an option for it.
///
/// The program runs in a mount namespace of its own, in which the certificate takes the place of the system's
/// (unshare(1)). Nothing changes for anybody else.
enum Trust {
  private static let authorities = "/etc/ssl/certs/ca-certificates.crt"

  /// The command inside the namespace; both replace themselves, so that the process stays the same.
  static func wrapped(_ command: (program: String, arguments: [String]), certificate: String) throws -> (
    program: String, arguments: [String]
  ) {
    guard let unshare = Tools.path("unshare") else { throw BenchmarkError.missing("unshare") }
    let script = #"mount --bind "$1" \#(authorities) && shift && exec "$@""#
    let words = ["--map-root-user", "--mount", "sh", "-c", script, "sh", certificate, command.program]
    return (unshare, words + command.arguments)
  }

  /// Whether this machine allows it.
  static func isPossible(certificate: String) async -> Bool {
    guard let command = try? wrapped(("true", []), certificate: certificate) else { return false }
    return (try? await ChildProcess.run(command.program, command.arguments))?.isSuccess == true
  }
}
