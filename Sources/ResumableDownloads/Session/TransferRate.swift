internal import Foundation

/// How fast bytes arrive, as an average in which the last few seconds count most. A value: time comes in from outside.
struct TransferRate: Sendable {
  /// What is older than this many seconds hardly counts any more.
  private static let memory = 3.0
  /// Between two samples nothing needs to arrive for this many seconds; a longer silence lowers the rate.
  private static let patience = 1.0

  private var last: (bytes: Int64, seconds: Double)?
  private var weightedRate = 0.0
  private var weight = 0.0

  /// Notes how many bytes there are. Fewer than before means that the count has begun anew, and is no speed.
  mutating func add(bytes: Int64, at seconds: Double) {
    defer { last = (bytes, seconds) }
    guard let last, bytes >= last.bytes, seconds > last.seconds else { return }
    blend(Double(bytes - last.bytes), over: seconds - last.seconds)
  }

  /// Bytes per second at the last sample, `nil` before there are two.
  var bytesPerSecond: Double? { weight > 0 ? weightedRate / weight : nil }

  /// Bytes per second now, lower than at the last sample when nothing has come for a while.
  func bytesPerSecond(at seconds: Double) -> Double? {
    guard let last, weight > 0, seconds - last.seconds > Self.patience else { return bytesPerSecond }
    var silent = self
    silent.blend(0, over: seconds - last.seconds)
    return silent.bytesPerSecond
  }

  private mutating func blend(_ bytes: Double, over seconds: Double) {
    let decay = exp(-seconds / Self.memory)
    weightedRate = weightedRate * decay + bytes / seconds * (1 - decay)
    weight = weight * decay + (1 - decay)
  }
}
