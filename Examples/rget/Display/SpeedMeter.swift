/// The speed of the last seconds, so that it neither jumps nor remembers for too long.
struct SpeedMeter: Equatable, Sendable {
  private static let window = 5.0
  /// Samples closer than this add nothing but work.
  private static let spacing = 0.1

  private struct Sample: Equatable {
    var time: Double
    var received: Int64
  }

  private var samples: [Sample] = []

  /// Takes note of how many bytes there were at a time in seconds.
  mutating func record(_ received: Int64, at time: Double) {
    if let last = samples.last, received < last.received { samples = [] }
    if let last = samples.last, time - last.time < Self.spacing { return }
    samples.append(Sample(time: time, received: received))
    samples.removeAll { time - $0.time > Self.window }
  }

  /// Bytes per second up to `time`; nil until two moments can be compared.
  func speed(at time: Double) -> Double? {
    guard let first = samples.first, let last = samples.last, last.time > first.time else { return nil }
    // Silence counts once it is longer than the gaps between samples.
    let end = time - last.time > 1 ? time : last.time
    return Double(last.received - first.received) / (end - first.time)
  }
}
