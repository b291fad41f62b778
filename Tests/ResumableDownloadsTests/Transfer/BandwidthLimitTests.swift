import Testing

@testable import ResumableDownloads

/// The arithmetic of speed limits, with times made up.
@Suite(.timeLimit(.minutes(1)))
struct BandwidthLimitTests {
  private let second: UInt64 = 1_000_000_000

  @Test("Bytes are paid for with time")
  func pays() {
    let limit = BandwidthLimit()
    limit.bytesPerSecond = 1000
    let start = 10 * second
    // The tenth of a second before counts as saved up.
    #expect(limit.take(1000, at: start) == second - second / 10)
    #expect(limit.take(500, at: start + second) == second / 2 - second / 10)
    #expect(limit.take(10, at: start + 60 * second) == 0)
  }

  @Test("Without a limit nothing waits, however much comes", arguments: [0, -5])
  func none(bytesPerSecond: Int64) {
    let limit = BandwidthLimit()
    limit.bytesPerSecond = bytesPerSecond
    #expect(!limit.isSet)
    #expect(limit.take(.max, at: 0) == 0)
  }

  @Test("Another limit owes nothing, the same one still does")
  func changed() {
    let limit = BandwidthLimit()
    limit.bytesPerSecond = 1
    _ = limit.take(1000, at: second)
    limit.bytesPerSecond = 1
    #expect(limit.take(0, at: second) > 999 * second - second / 10)
    limit.bytesPerSecond = 1000
    #expect(limit.take(0, at: second) == 0)
  }

  @Test("Extremes do not overflow")
  func extremes() {
    let limit = BandwidthLimit()
    limit.bytesPerSecond = 1
    #expect(limit.take(.max, at: 5) > 0)
    #expect(limit.take(.max, at: 5) > 0)
  }
}
