import Dispatch
import Synchronization

/// A value behind a lock whose changes can be awaited, without polling.
///
/// Any thread may read or change it. Waiters are resumed after the lock is released, each exactly once: by the change
/// that satisfies them, by their deadline, or by the cancellation of their task.
public final class Observed<Value: Sendable>: Sendable {
  private struct Waiter: Sendable {
    let isSatisfied: @Sendable (Value) -> Bool
    let continuation: CheckedContinuation<Value, any Error>
  }

  private struct State: Sendable {
    var value: Value
    var waiters: [Int: Waiter] = [:]
    var nextWaiter = 0
  }

  private let state: Mutex<State>

  /// Starts with `value`.
  public init(_ value: Value) {
    state = Mutex(State(value: value))
  }

  /// The value now.
  public var value: Value { state.withLock { $0.value } }

  /// Reads a part of the value without copying the whole.
  public func read<Result: Sendable>(_ part: @Sendable (Value) -> Result) -> Result {
    state.withLock { part($0.value) }
  }

  /// Changes the value under the lock, then resumes the waiters that the new value satisfies.
  @discardableResult
  public func update<Result: Sendable>(_ change: @Sendable (inout Value) -> Result) -> Result {
    let (result, value, satisfied) = state.withLock { state in
      let result = change(&state.value)
      let keys = state.waiters.filter { $0.value.isSatisfied(state.value) }.map(\.key)
      let satisfied = keys.compactMap { state.waiters.removeValue(forKey: $0) }
      // The copy is made only for someone who takes it, so that a list that nobody awaits grows in place.
      return (result, satisfied.isEmpty ? nil : state.value, satisfied)
    }
    if let value { for waiter in satisfied { waiter.continuation.resume(returning: value) } }
    return result
  }

  /// Returns the value as soon as `isSatisfied` holds for it.
  ///
  /// - Parameters:
  ///   - what: What is awaited, for the message of the error.
  ///   - timeoutSeconds: How long to wait at most.
  ///   - isSatisfied: A pure function; it runs under the lock.
  /// - Throws: `ServerError.timedOut` at the deadline, `CancellationError` if the task is cancelled.
  public func wait(
    for what: String, timeoutSeconds: Double = 60, until isSatisfied: @escaping @Sendable (Value) -> Bool
  ) async throws -> Value {
    let key = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    let deadline = DispatchWorkItem { [self] in abandon(key, ServerError.timedOut(what)) }
    defer { deadline.cancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        register(Waiter(isSatisfied: isSatisfied, continuation: continuation), key)
        DispatchQueue.global().asyncAfter(deadline: .now() + timeoutSeconds, execute: deadline)
        // A cancellation that came before the registration found nobody to resume.
        if Task.isCancelled { abandon(key, CancellationError()) }
      }
    } onCancel: {
      abandon(key, CancellationError())
    }
  }

  private func register(_ waiter: Waiter, _ key: Int) {
    let ready: Value? = state.withLock { state in
      if waiter.isSatisfied(state.value) { return state.value }
      state.waiters[key] = waiter
      return nil
    }
    if let ready { waiter.continuation.resume(returning: ready) }
  }

  private func abandon(_ key: Int, _ error: any Error) {
    let waiter = state.withLock { $0.waiters.removeValue(forKey: key) }
    waiter?.continuation.resume(throwing: error)
  }
}
