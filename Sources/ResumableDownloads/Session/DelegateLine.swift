internal import Foundation
internal import Synchronization

/// The way of all relays of one session to its delegate queue.
///
/// An operation costs more than all callbacks of a small file. So on a serial queue, where callbacks cannot run at the
/// same time anyway, one operation serves all relays that wait; on any other each relay gets its own.
final class DelegateLine: Sendable {
  typealias Work = @Sendable () -> Void

  fileprivate struct State {
    var waiting: [Work] = []
    var isScheduled = false
    /// Whether more is about to come, for which an operation can wait a moment.
    var isHeld = false
  }

  private let state = Mutex(State())
  let queue: OperationQueue

  init(queue: OperationQueue) {
    self.queue = queue
  }

  /// Runs the work on the queue, after what came before it if that is serial.
  func add(_ work: @escaping Work) {
    guard queue.maxConcurrentOperationCount == 1 else { return enqueue(work) }
    let mustSchedule = state.withLock { state in
      state.waiting.append(work)
      return state.mustSchedule()
    }
    if mustSchedule { schedule() }
  }

  private func schedule() { enqueue { [self] in serve() } }

  private func enqueue(_ work: @escaping Work) {
    let operation = DeliveryOperation(work)
    // As the queue does for a closure; else the closures of others would overtake.
    let service = queue.qualityOfService
    if service != .default { operation.qualityOfService = service }
    queue.addOperation(operation)
  }

  /// Serves those that wait at its beginning: between them and the next ones, operations of others get their turn.
  private func serve() {
    let works = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for (index, work) in works.enumerated() {
      // Whoever suspended the queue in a callback expects the next one to wait.
      if index > 0, queue.isSuspended {
        state.withLock { $0.waiting.insert(contentsOf: works[index...], at: 0) }
        break
      }
      work()
    }
    let mustSchedule = state.withLock { state in
      state.isScheduled = false
      return state.mustSchedule()
    }
    if mustSchedule { schedule() }
  }
}

/// One operation for all that ends in one turn of the loop: each would wake a thread.
extension DelegateLine: EndBatch {
  func willEndExchanges() { state.withLock { $0.isHeld = true } }

  func didEndExchanges() {
    let mustSchedule = state.withLock { state in
      state.isHeld = false
      return state.mustSchedule()
    }
    if mustSchedule { schedule() }
  }
}

extension DelegateLine.State {
  /// Whether an operation is needed, which then counts as there.
  fileprivate mutating func mustSchedule() -> Bool {
    guard !isScheduled, !isHeld, !waiting.isEmpty else { return false }
    isScheduled = true
    return true
  }
}

/// Calls the delegate. It cannot be cancelled: who cancels the operations of the queue means other ones, and nobody
/// would make up for a lost callback.
// Everything in it is immutable; the base class may be used by any thread.
private final class DeliveryOperation: Operation, @unchecked Sendable {
  private let work: DelegateLine.Work

  init(_ work: @escaping DelegateLine.Work) { self.work = work }

  override func main() { work() }

  override func cancel() {}
}
