internal import Glibc

/// The loop's time: nanoseconds that go on steadily and stand still while the machine sleeps (CLOCK_MONOTONIC).
enum LoopClock {
  static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }

  /// A span in nanoseconds, at most about a century, so that sums never overflow.
  static func nanoseconds(_ seconds: Double) -> UInt64 {
    guard seconds > 0 else { return 0 }
    return UInt64(min(seconds, 3e9) * 1e9)
  }
}

/// An action at a time, made by `TransferLoop.after`; confined to the loop's thread.
final class LoopTimer {
  let deadline: UInt64
  fileprivate(set) var action: (() -> Void)?

  init(deadline: UInt64, action: @escaping () -> Void) {
    self.deadline = deadline
    self.action = action
  }

  /// The action will not run.
  func cancel() { action = nil }

  func fire() {
    let action = self.action
    self.action = nil
    action?()
  }
}

/// The timers of one loop. A few for each running download, so a plain array serves.
struct LoopTimers {
  private var timers: [LoopTimer] = []
  /// Those that fire in any case when the next are taken out; not looked for among the others.
  private var soon: [LoopTimer] = []
  private var next = UInt64.max
  private static let fewTimers = 64
  /// With so many the cancelled ones are looked for: thousands of small files cancel theirs long before their time.
  private var crowd = fewTimers

  var earliest: UInt64 { soon.isEmpty ? next : 0 }

  mutating func add(_ timer: LoopTimer) {
    if timers.count >= crowd {
      removeCancelled()
      crowd = max(Self.fewTimers, 2 * timers.count)
    }
    timers.append(timer)
    next = min(next, timer.deadline)
  }

  mutating func addSoon(_ timer: LoopTimer) { soon.append(timer) }

  /// Forgets the timers that were cancelled, so that none of them wakes a loop that has nothing else to do.
  mutating func removeCancelled() {
    soon.removeAll { $0.action == nil }
    timers.removeAll { $0.action == nil }
    next = timers.reduce(UInt64.max) { min($0, $1.deadline) }
  }

  /// Takes out the timers whose time has come.
  mutating func due(at now: UInt64) -> [LoopTimer] {
    var due = soon
    soon.removeAll(keepingCapacity: true)
    guard next <= now else { return due }
    timers.removeAll { $0.action == nil }
    due += timers.filter { $0.deadline <= now }
    timers.removeAll { $0.deadline <= now }
    next = timers.reduce(UInt64.max) { min($0, $1.deadline) }
    return due
  }
}
