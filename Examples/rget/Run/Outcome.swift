/// How one download ended.
enum Outcome: Equatable, Sendable {
  case saved(path: String, bytes: Int64)
  /// The complete file was there already.
  case skipped(path: String)
  case failed(Failure)
  /// Stopped by a signal; how many bytes the next run need not fetch again.
  case stopped(offset: Int64?)

  var isComplete: Bool {
    switch self {
    case .saved, .skipped: true
    case .failed, .stopped: false
    }
  }

  var failure: Failure? {
    if case .failed(let failure) = self { failure } else { nil }
  }
}
