import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import ResumableDownloads

@Suite(.timeLimit(.minutes(1)))
struct DelegateRelayTests {
  @Test("A task that always has news for a slow delegate leaves others their turn")
  func fairness() {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = true
    let line = DelegateLine(queue: queue)
    let busy = DelegateRelay(line: line, counters: DownloadCounters())
    let other = DelegateRelay(line: line, counters: DownloadCounters())
    let calls = Observed<[String]>([])
    @Sendable func deliver(_ delivery: DelegateRelay.Delivery) {
      calls.update { $0.append("busy") }
      if calls.value.count < 10 { busy.send(.rebase(0), to: deliver) }
    }
    busy.send(.rebase(0), to: deliver)
    other.send(.rebase(0)) { _ in calls.update { $0.append("other") } }
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(calls.value.prefix(3) == ["busy", "other", "busy"])
  }
}
