/// Carries a loop-confined object or closure through a closure that other threads hold.
// Only read inside `TransferEngine.perform`, that is on the loop's thread, which is where the value lives.
final class LoopReference<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
