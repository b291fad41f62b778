import Foundation

/// One line about a download, from numbers alone.
struct ProgressLine: Equatable {
  var received: Int64
  var total: Int64?
  /// Bytes per second, nil if it is not known yet.
  var speed: Double?

  /// The line in at most `width` columns; what matters least is left out first.
  func text(width: Int) -> String {
    var parts = [total.map { "\(Self.bytes(received)) of \(Self.bytes($0))" } ?? Self.bytes(received)]
    if let percent { parts.append("\(percent)%") }
    if let speed { parts.append("\(Self.bytes(Int64(speed)))/s") }
    if let secondsLeft { parts.append("\(Self.time(secondsLeft)) left") }
    while parts.count > 1, Self.join(parts).count > width { parts.removeLast() }
    return String(Self.join(parts).prefix(max(0, width)))
  }

  /// Whole percent, rounded down, so that 100 means complete.
  var percent: Int? {
    guard let total, total > 0 else { return nil }
    return Int(min(1, max(0, Double(received) / Double(total))) * 100)
  }

  /// Seconds until the end at this speed, rounded up.
  var secondsLeft: Int? {
    guard let total, let speed, speed >= 1, total >= received else { return nil }
    return Int((Double(total - received) / speed).rounded(.up))
  }

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

  private static func join(_ parts: [String]) -> String { parts.joined(separator: "  ") }
}
