import Testing

@testable import ResumableDownloads

@Suite(.timeLimit(.minutes(1)))
struct LoopTimersTests {
  @Test("Timers that fire soon come first, whatever the time, and one by one in their order")
  func soon() {
    var (timers, fired) = (LoopTimers(), [Int]())
    timers.add(LoopTimer(deadline: 10) { fired.append(10) })
    #expect(timers.earliest == 10)
    for number in 1...2 { timers.addSoon(LoopTimer(deadline: 30) { fired.append(number) }) }
    #expect(timers.earliest == 0)
    for timer in timers.due(at: 5) { timer.fire() }
    #expect(fired == [1, 2])
    #expect(timers.earliest == 10)
    for timer in timers.due(at: 10) { timer.fire() }
    #expect(fired == [1, 2, 10])
    #expect(timers.earliest == .max)
  }

  @Test("Cancelled timers neither fire nor wake anybody")
  func cancelled() {
    var (timers, fired) = (LoopTimers(), false)
    let (soon, later) = (LoopTimer(deadline: 1) { fired = true }, LoopTimer(deadline: 2) { fired = true })
    timers.addSoon(soon)
    timers.add(later)
    soon.cancel()
    later.cancel()
    timers.removeCancelled()
    #expect(timers.earliest == .max)
    for timer in timers.due(at: 5) { timer.fire() }
    #expect(!fired)
  }
}
