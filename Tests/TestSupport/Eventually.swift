import LoopbackServer

/// Returns when a condition holds of which nobody is told: that a handler of `Progress` ran, that an object or a thread
/// is gone. It is looked at again when other tasks have had their turn.
///
/// - Throws: `ServerError.timedOut` after a minute.
public func eventually(
  isolation: isolated (any Actor)? = #isolation, _ what: String, _ isSatisfied: () throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + .seconds(60)
  while try !isSatisfied() {
    guard ContinuousClock.now < deadline else { throw ServerError.timedOut(what) }
    await Task.yield()
  }
}
