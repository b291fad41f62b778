import Foundation
import Glibc

/// Why a tool of the tests could not do its work.
public enum TestSupportError: Error, Sendable, CustomStringConvertible {
  /// A system call failed; carries its name and the value of `errno`.
  case system(call: String, code: Int32)
  /// The server's program is not installed; carries its name.
  case serverMissing(String)
  /// The server lacks the option; carries both names.
  case unsupported(String)
  /// The server did not start; carries the last lines that it wrote.
  case serverFailed(String)
  /// A command that prepares a test failed; carries what it wrote.
  case commandFailed(String)
  /// The program is not among the package's products; carries the path that was tried.
  case productMissing(String)

  /// The error in words, for a test's output.
  public var description: String {
    switch self {
    case .system(let call, let code): "\(call) failed: \(String(cString: strerror(code))) (\(code))"
    case .serverMissing(let name): "\(name) is not installed"
    case .unsupported(let what): "\(what) is not supported"
    case .serverFailed(let text): "the server did not start: \(text)"
    case .commandFailed(let text): "a command failed: \(text)"
    case .productMissing(let path): "there is no product at \(path)"
    }
  }
}
