internal import Dispatch
internal import Foundation

/// The closure of one `cancel(byProducingResumeData:)`, on its way to the queue that calls it once.
// Upstream's signature is not `@Sendable`; the closure is only moved, and called by one thread.
struct CancelHandler: @unchecked Sendable {
  let closure: (Data?) -> Void

  func call(_ data: Data?) {
    DispatchQueue.global().async { closure(data) }
  }
}
