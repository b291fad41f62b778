/// Carries a loop-confined object through a closure that other threads hold.
// Only read inside `TransferEngine.perform`, that is on the loop's thread, which is where the object lives.
final class LoopReference<Value: AnyObject>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
