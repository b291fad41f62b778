import Foundation

/// Why the benchmark could not go on.
enum BenchmarkError: Error, CustomStringConvertible {
  case missing(String)
  case system(call: String, code: Int32)
  case peerFailed(String)
  case wrongFile(String)
  case client(String)
  case malformedReport(String)

  var description: String {
    switch self {
    case .missing(let name): "\(name) is not installed"
    case .system(let call, let code): "\(call) failed: \(String(cString: strerror(code)))"
    case .peerFailed(let text): text
    case .wrongFile(let text): text
    case .client(let text): text
    case .malformedReport(let text): "the report cannot be read: \(text)"
    }
  }

  /// The error of the system call that has just failed.
  static func last(_ call: String) -> BenchmarkError { .system(call: call, code: errno) }
}
