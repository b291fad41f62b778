import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import ResumableDownloads

@Suite(.timeLimit(.minutes(1)))
struct DelegateLineTests {
  private let queue = OperationQueue()
  private let line: DelegateLine
  private let served = Observed<[Int]>([])

  init() {
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = true
    line = DelegateLine(queue: queue)
  }

  private func add(_ numbers: Int...) {
    for number in numbers { line.add { [served] in served.update { $0.append(number) } } }
  }

  /// Lets the queue run, and returns what was served when it has nothing more to do.
  private func run() -> [Int] {
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    return served.value
  }

  @Test("On a serial queue one operation serves all that wait, in their order")
  func serial() {
    add(1, 2, 3)
    #expect(queue.operationCount == 1)
    #expect(run() == [1, 2, 3])
    add(4)
    #expect(run() == [1, 2, 3, 4])
  }

  @Test("On a concurrent queue each has an operation of its own")
  func concurrent() {
    queue.maxConcurrentOperationCount = 4
    add(1, 2, 3)
    #expect(queue.operationCount == 3)
    #expect(run().sorted() == [1, 2, 3])
  }

  @Test("What ends in one turn of the loop waits for the end of the turn")
  func batch() {
    line.willEndExchanges()
    add(1, 2)
    #expect(queue.operationCount == 0)
    line.didEndExchanges()
    #expect(queue.operationCount == 1)
    #expect(run() == [1, 2])
    line.willEndExchanges()
    line.didEndExchanges()
    #expect(queue.operationCount == 0)
  }

  @Test("Operations have the quality of service of the queue, as those of closures have", arguments: [1, 4])
  func service(width: Int) {
    queue.maxConcurrentOperationCount = width
    queue.qualityOfService = .userInitiated
    add(1)
    #expect(queue.operations.map(\.qualityOfService) == [.userInitiated])
    #expect(run() == [1])
  }

  @Test("Between those that wait together and the next, operations of others get their turn")
  func fairness() {
    line.add { [line, served, queue] in
      served.update { $0.append(1) }
      queue.addOperation { served.update { $0.append(0) } }
      line.add { served.update { $0.append(3) } }
    }
    add(2)
    #expect(run() == [1, 2, 0, 3])
  }

  @Test("Whoever suspends the queue while being called has the next one wait")
  func suspended() async throws {
    line.add { [served, queue] in
      served.update { $0.append(1) }
      queue.isSuspended = true
    }
    add(2)
    queue.isSuspended = false
    _ = try await served.wait(for: "the first") { $0 == [1] }
    try await eventually("the next operation") { queue.operations.contains { !$0.isExecuting && !$0.isFinished } }
    #expect(served.value == [1])
    #expect(run() == [1, 2])
  }

  @Test("Cancelling the operations of the queue loses no callback", arguments: [1, 4])
  func cancelled(width: Int) {
    queue.maxConcurrentOperationCount = width
    add(1, 2)
    queue.cancelAllOperations()
    #expect(run().sorted() == [1, 2])
    add(3)
    #expect(run().sorted() == [1, 2, 3])
  }
}
