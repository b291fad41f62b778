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

  @Test("Timers that are cancelled long before their time do not pile up, and the others stay")
  func crowd() {
    final class Weak { weak var timer: LoopTimer? }
    var (timers, fired, cancelled) = (LoopTimers(), [UInt64](), [Weak]())
    for number in 1...10_000 as ClosedRange<UInt64> {
      let timer = LoopTimer(deadline: number) { fired.append(number) }
      timers.add(timer)
      guard number % 1000 != 0 else { continue }
      timer.cancel()
      let reference = Weak()
      reference.timer = timer
      cancelled.append(reference)
    }
    #expect(cancelled.count { $0.timer != nil } < 100)
    for timer in timers.due(at: .max) { timer.fire() }
    #expect(fired == (1...10).map { $0 * 1000 })
  }
}
