import Foundation

/// What one run of one peer cost.
struct Sample: Codable, Sendable {
  var wallSeconds: Double
  var userSeconds: Double
  var systemSeconds: Double
  var peakBytes: Int64
  var threads: Int
  /// What the client counted itself, by name.
  var values: [String: Double]

  var cpuSeconds: Double { userSeconds + systemSeconds }

  init(_ run: ProcessRun, values: [String: Double]) {
    wallSeconds = run.wallSeconds
    userSeconds = run.userSeconds
    systemSeconds = run.systemSeconds
    peakBytes = run.peakBytes
    threads = run.threads
    self.values = values
  }
}

extension [Double] {
  /// The middle one, or the mean of the two in the middle; nil when there is none.
  var median: Double? {
    guard !isEmpty else { return nil }
    let sorted = sorted()
    let middle = count / 2
    return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
