import Foundation

/// Numbers as people read them.
enum Amount {
  /// A size with three or four digits and a binary unit.
  static func bytes(_ count: Int64) -> String {
    var value = Double(count)
    guard abs(value) >= 1024 else { return "\(count) B" }
    var unit = ""
    // 1023.95 would be printed as 1024.0.
    for next in ["KiB", "MiB", "GiB", "TiB", "PiB"] where unit.isEmpty || value >= 1023.95 {
      value /= 1024
      unit = next
    }
    return String(format: "%.1f %@", value, unit)
  }

  /// `m:ss`, or `h:mm:ss` from an hour.
  static func time(_ seconds: Int) -> String {
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
    return hours > 0
      ? String(format: "%d:%02d:%02d", hours, minutes, rest) : String(format: "%d:%02d", minutes, rest)
  }

  /// Whole percent, rounded down, so that 100 means complete.
  static func percent(_ received: Int64, of total: Int64?) -> Int? {
    guard let total, total > 0 else { return nil }
    return Int(min(1, max(0, Double(received) / Double(total))) * 100)
  }

  /// Seconds until the end at a speed, rounded up; nil if it is unknown or more than 99 hours.
  static func secondsLeft(_ received: Int64, of total: Int64?, speed: Double?) -> Int? {
    guard let total, let speed, speed >= 1, total >= received else { return nil }
    let seconds = (Double(total - received) / speed).rounded(.up)
    return seconds < 99 * 3600 ? Int(seconds) : nil
  }

  /// How long ago something was, in its largest unit.
  static func age(_ seconds: TimeInterval) -> String {
    let seconds = Int(max(0, min(seconds, 1e10)))
    let units = [(86400, "day"), (3600, "hour"), (60, "minute"), (1, "second")]
    let (size, name) = units.first { seconds >= $0.0 } ?? (1, "second")
    let count = seconds / size
    return "\(count) \(name)\(count == 1 ? "" : "s")"
  }
}
