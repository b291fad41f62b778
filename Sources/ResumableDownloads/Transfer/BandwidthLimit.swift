/// A number of bytes per second that the exchanges which take from it share. Confined to the loop's thread.
final class BandwidthLimit {
  /// What was not used lately may be made up for within this time, and no longer.
  private static let burstNanoseconds: UInt64 = 100_000_000

  /// Zero or less means no limit. What was taken under another limit is forgiven.
  var bytesPerSecond: Int64 = 0 {
    didSet { if bytesPerSecond != oldValue { paidUntil = 0 } }
  }
  /// When everything that has been taken is paid for.
  private var paidUntil: UInt64 = 0

  var isSet: Bool { bytesPerSecond > 0 }

  /// Takes bytes that have arrived; nanoseconds to wait before more may come.
  func take(_ count: Int, at now: UInt64) -> UInt64 {
    guard isSet else { return 0 }
    let cost = LoopClock.nanoseconds(Double(count) / Double(bytesPerSecond))
    let earliest = now > Self.burstNanoseconds ? now - Self.burstNanoseconds : 0
    paidUntil = max(paidUntil, earliest) &+ cost
    return paidUntil > now ? paidUntil - now : 0
  }
}
