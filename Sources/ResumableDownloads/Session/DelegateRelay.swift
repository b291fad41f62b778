internal import Foundation
internal import Synchronization

/// Brings the events of one task to the delegate queue, one after the other, however many threads the queue has.
///
/// At most one progress event waits, and what it reports is read when it is delivered, so a slow delegate costs neither
/// memory nor speed.
final class DelegateRelay: Sendable {
  enum Event: Sendable {
    case progress
    /// Progress up to a fixed count of a fixed whole, reported before the counters go back.
    case progressUpTo(Int64, expected: Int64)
    /// The next progress counts from here.
    case rebase(Int64)
    case resumed(offset: Int64, expected: Int64)
    /// Another callback, without numbers.
    case call(@Sendable () -> Void)
    case finished(FinishedFile)
    case completed(URLError?)
  }

  /// An event with the numbers that belong to it.
  struct Delivery: Sendable {
    var event: Event
    /// Bytes since the last report, all bytes, and those of the whole: for progress and before `finished`.
    var newBytes: Int64 = 0
    var written: Int64 = 0
    var expected: Int64 = -1
  }

  private struct State {
    var events: [Event] = []
    var isScheduled = false
    var reported: Int64 = 0
  }

  private let state = Mutex(State())
  private let progressWaits = Atomic<Bool>(false)
  private let line: DelegateLine
  private let counters: DownloadCounters

  init(line: DelegateLine, counters: DownloadCounters) {
    self.line = line
    self.counters = counters
  }

  func progress(to receive: @escaping @Sendable (Delivery) -> Void) {
    guard !progressWaits.exchange(true, ordering: .relaxed) else { return }
    send(.progress, to: receive)
  }

  /// Fixes the progress that waits, because the counters are about to go back to `offset`.
  func restart(at offset: Int64, to receive: @escaping @Sendable (Delivery) -> Void) {
    state.withLock { state in
      let written = counters.written.load(ordering: .relaxed)
      let expected = counters.expected.load(ordering: .relaxed)
      if case .progress? = state.events.last {
        state.events[state.events.count - 1] = .progressUpTo(written, expected: expected)
      }
      progressWaits.store(false, ordering: .relaxed)
    }
    send(.rebase(offset), to: receive)
  }

  func send(_ event: Event, to receive: @escaping @Sendable (Delivery) -> Void) {
    let mustSchedule = state.withLock { state in
      // The end reports all bytes itself.
      if case .finished = event, case .progress? = state.events.last { state.events.removeLast() }
      state.events.append(event)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { schedule(receive) }
  }

  /// Delivers all that waits in one go. What comes meanwhile waits until others had their turn: a slow delegate would
  /// hear of nothing but this task.
  private func schedule(_ receive: @escaping @Sendable (Delivery) -> Void) {
    line.add { [self] in
      var left = state.withLock { $0.events.count }
      while let delivery = next() {
        receive(delivery)
        left -= 1
        // Whoever suspended the queue in a callback expects the next one to wait.
        guard left > 0, !line.queue.isSuspended else {
          if hasMore() { schedule(receive) }
          return
        }
      }
    }
  }

  private func hasMore() -> Bool {
    state.withLock { state in
      state.isScheduled = !state.events.isEmpty
      return state.isScheduled
    }
  }

  private func next() -> Delivery? {
    state.withLock { state in
      guard !state.events.isEmpty else {
        state.isScheduled = false
        return nil
      }
      let event = state.events.removeFirst()
      // Both counts under the lock, so that they belong together: `restart` comes before either changes.
      var delivery = Delivery(event: event, expected: counters.expected.load(ordering: .relaxed))
      switch event {
      case .rebase(let offset), .resumed(let offset, _):
        state.reported = offset
        return delivery
      case .progress:
        progressWaits.store(false, ordering: .relaxed)
        delivery.written = counters.written.load(ordering: .relaxed)
      case .progressUpTo(let count, let expected): (delivery.written, delivery.expected) = (count, expected)
      case .finished: delivery.written = counters.written.load(ordering: .relaxed)
      case .call, .completed: return delivery
      }
      delivery.newBytes = delivery.written - state.reported
      state.reported = delivery.written
      return delivery
    }
  }
}
