import Foundation

/// Why the server, a gate or an observed value could not do what was asked.
public enum ServerError: Error, Sendable, CustomStringConvertible {
  /// A system call failed; carries its name and the value of `errno`.
  case system(call: String, code: Int32)
  /// The text is neither an IPv4 nor an IPv6 address.
  case invalidAddress(String)
  /// The awaited event did not come in time; carries what was awaited and what was there instead.
  case timedOut(String)

  /// The error in words, for a test's output.
  public var description: String {
    switch self {
    case .system(let call, let code): "\(call) failed: \(String(cString: strerror(code))) (\(code))"
    case .invalidAddress(let text): "\(text) is not an IP address"
    case .timedOut(let what): "timed out waiting for \(what)"
    }
  }
}
