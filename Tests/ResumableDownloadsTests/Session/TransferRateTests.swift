import Testing

@testable import ResumableDownloads

@Suite(.timeLimit(.minutes(1)))
struct TransferRateTests {
  @Test("Two samples are needed")
  func begins() {
    var rate = TransferRate()
    #expect(rate.bytesPerSecond(at: 0) == nil)
    rate.add(bytes: 500, at: 10)
    #expect(rate.bytesPerSecond == nil)
    rate.add(bytes: 700, at: 10)
    #expect(rate.bytesPerSecond(at: 10) == nil)
    rate.add(bytes: 1_500, at: 12)
    #expect(rate.bytesPerSecond.map { Int($0.rounded()) } == 400)
  }

  @Test("A steady speed is found at once, and a new one within a few seconds")
  func follows() throws {
    var rate = TransferRate()
    for step in 0...50 { rate.add(bytes: Int64(step) * 100, at: Double(step) / 10) }
    #expect(abs(try #require(rate.bytesPerSecond) - 1_000) < 1)
    for step in 1...100 { rate.add(bytes: 5_000 + Int64(step) * 500, at: 5 + Double(step) / 10) }
    #expect(abs(try #require(rate.bytesPerSecond) - 5_000) < 500)
  }

  @Test("A silence lowers the speed, a short pause does not")
  func silence() throws {
    var rate = TransferRate()
    rate.add(bytes: 0, at: 0)
    rate.add(bytes: 1_000, at: 1)
    #expect(rate.bytesPerSecond(at: 1.9) == rate.bytesPerSecond)
    let later = try #require(rate.bytesPerSecond(at: 4))
    #expect(later < 500)
    #expect(try #require(rate.bytesPerSecond(at: 60)) < 1)
  }

  @Test("A count that begins anew is no speed")
  func restart() {
    var rate = TransferRate()
    rate.add(bytes: 0, at: 0)
    rate.add(bytes: 1_000, at: 1)
    let before = rate.bytesPerSecond
    rate.add(bytes: 0, at: 2)
    #expect(rate.bytesPerSecond == before)
  }
}
