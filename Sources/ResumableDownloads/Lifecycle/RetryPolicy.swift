public import Foundation

/// How a download tries again by itself when the connection or the server fails for a moment.
///
/// Lost, refused and silent connections and the statuses 408, 425, 429, 500, 502, 503 and 504 are tried again within
/// the same task, from the last byte where that can be proven, else from the start. A full disk, a refused certificate
/// and any other status are not. Set `URLSessionConfiguration.retryPolicy` to use one; without it nothing is tried
/// again, as on Apple's systems.
public struct RetryPolicy: Sendable, Equatable {
  /// Attempts in a row that may fail; the count starts anew whenever a MiB has arrived.
  public var maximumAttempts: Int
  /// Seconds before the first new attempt; doubled for each further one, and shortened by chance to as little as half.
  public var initialDelay: TimeInterval
  /// The longest wait in seconds. A `Retry-After` (RFC 9110 section 10.2.3) is obeyed up to this; a longer one ends the
  /// download.
  public var maximumDelay: TimeInterval

  /// A policy; negative numbers count as zero.
  public init(maximumAttempts: Int = 5, initialDelay: TimeInterval = 1, maximumDelay: TimeInterval = 60) {
    self.maximumAttempts = maximumAttempts
    self.initialDelay = initialDelay
    self.maximumDelay = maximumDelay
  }

  /// Bytes whose arrival makes the count start anew.
  static let progressBytes: Int64 = 1 << 20

  /// Seconds before the given attempt, 0 for the first, without chance.
  func delay(beforeAttempt attempt: Int) -> TimeInterval {
    min(max(0, initialDelay) * pow(2, Double(min(attempt, 30))), max(0, maximumDelay))
  }

  /// Statuses of servers that may answer in a while.
  static func isTransient(status: Int) -> Bool { [408, 425, 429, 500, 502, 503, 504].contains(status) }
}

extension DownloadFailure.Reason {
  /// Whether the same request may succeed in a while. libcurl's codes by number: names that do not resolve (5, 6),
  /// connections refused (7), short (18), silent (28, 52) or broken (35, 55, 56, 92, 95).
  var isTransient: Bool {
    switch self {
    case .cutShort: true
    case .transfer(let error):
      switch error.cause {
      case .inactive, .offline: true
      case .curl(let code): [5, 6, 7, 18, 28, 35, 52, 55, 56, 92, 95].contains(code)
      default: false
      }
    default: false
    }
  }
}
