import Synchronization

/// The wish to stop, told to everyone who is at work.
final class Stop: Sendable {
  private struct State {
    var signal: Int32?
    var actions: [Int: @Sendable () -> Void] = [:]
    var nextAction = 0
  }

  private let state = Mutex(State())

  /// The signal that asked for it, nil as long as nobody has.
  var signal: Int32? { state.withLock { $0.signal } }

  var isAsked: Bool { signal != nil }

  /// Tells everyone, once.
  func ask(_ signal: Int32) {
    let actions = state.withLock { state in
      guard state.signal == nil else { return [@Sendable () -> Void]() }
      state.signal = signal
      defer { state.actions = [:] }
      return Array(state.actions.values)
    }
    for action in actions { action() }
  }

  /// Runs `body`, and `action` once when somebody asks to stop meanwhile or has asked before.
  func during<Result>(
    stop action: @escaping @Sendable () -> Void, run body: () async throws -> Result
  ) async rethrows -> Result {
    let (key, isLate) = state.withLock { state in
      state.nextAction += 1
      if state.signal == nil { state.actions[state.nextAction] = action }
      return (state.nextAction, state.signal != nil)
    }
    defer { state.withLock { _ = $0.actions.removeValue(forKey: key) } }
    if isLate { action() }
    return try await body()
  }
}
