import Dispatch
import Synchronization

/// A door that opens once: the server waits at it, or opens it to tell a test how far it has come.
///
/// Any thread may open it and any number of threads and tasks may wait at it.
public final class Gate: Sendable {
  private struct State: Sendable {
    var isOpen = false
    var actions: [Int: @Sendable () -> Void] = [:]
    var nextAction = 0
  }

  private let state = Mutex(State())
  private let opening = Observed(false)

  /// Makes a closed gate.
  public init() {}

  /// True once `open()` was called.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Opens the gate and lets everyone pass, now and later. A second call does nothing.
  public func open() {
    let actions = state.withLock { state in
      state.isOpen = true
      defer { state.actions = [:] }
      return Array(state.actions.values)
    }
    for action in actions { action() }
    opening.update { $0 = true }
  }

  /// Suspends the task until the gate is open.
  ///
  /// - Throws: `ServerError.timedOut` at the deadline, `CancellationError` if the task is cancelled.
  public func opened() async throws {
    _ = try await opening.wait(for: "a gate to open") { $0 }
  }

  /// Blocks the thread until the gate is open or `milliseconds` have passed; says whether it is open.
  @discardableResult
  func wait(milliseconds: Int) -> Bool {
    let semaphore = DispatchSemaphore(value: 0)
    let action = whenOpen { semaphore.signal() }
    _ = semaphore.wait(timeout: .now() + .milliseconds(max(0, milliseconds)))
    forget(action)
    return isOpen
  }

  /// Blocks the thread until this gate or `other` is open.
  func wait(or other: Gate) {
    let semaphore = DispatchSemaphore(value: 0)
    let mine = whenOpen { semaphore.signal() }
    let theirs = other.whenOpen { semaphore.signal() }
    semaphore.wait()
    forget(mine)
    other.forget(theirs)
  }

  private func whenOpen(_ action: @escaping @Sendable () -> Void) -> Int {
    let (key, runNow) = state.withLock { state in
      state.nextAction += 1
      if !state.isOpen { state.actions[state.nextAction] = action }
      return (state.nextAction, state.isOpen)
    }
    if runNow { action() }
    return key
  }

  private func forget(_ key: Int) {
    state.withLock { _ = $0.actions.removeValue(forKey: key) }
  }
}
