/// What the command says to whoever started it.
enum ExitCode: Int32, CaseIterable, Sendable {
  case complete = 0
  case someFailed = 1
  case usage = 2
  case checksum = 3
  case disk = 4
  case network = 5
  case refused = 6

  var meaning: String {
    switch self {
    case .complete: "all files are complete"
    case .someFailed: "some failed, for different reasons or for another one than those below"
    case .usage: "wrong usage; nothing was done"
    case .checksum: "a checksum is wrong"
    case .disk: "a file or standard output cannot be written"
    case .network: "the server cannot be reached, or the connection was lost too often"
    case .refused: "the server refused"
    }
  }

  /// The status of a run whose failures are these: what they have in common.
  static func of(_ failures: [ExitCode]) -> ExitCode {
    guard let first = failures.first else { return .complete }
    return failures.allSatisfy { $0 == first } ? first : .someFailed
  }
}
