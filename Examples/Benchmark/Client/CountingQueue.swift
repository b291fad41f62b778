import Foundation
import Synchronization

/// A delegate queue that counts what it is given: each operation is a hop from the session's thread to another one.
// OperationQueue may be used by any thread, and the count is atomic.
final class CountingQueue: OperationQueue, @unchecked Sendable {
  private let count = Atomic(0)

  /// How many operations it was given.
  var hops: Int { count.load(ordering: .relaxed) }

  override init() {
    super.init()
    maxConcurrentOperationCount = 1
  }

  override func addOperation(_ operation: Operation) {
    count.add(1, ordering: .relaxed)
    super.addOperation(operation)
  }
}
