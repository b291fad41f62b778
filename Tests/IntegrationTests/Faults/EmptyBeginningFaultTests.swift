import Foundation
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Answers that break off before their first byte, again and again.
@Suite(.timeLimit(.minutes(3)))
struct EmptyBeginningFaultTests {
  /// The third attempt used to find a partial file of the second one in its way.
  @Test("However often an answer breaks off before its first byte, the next attempt begins anew")
  func again() async throws {
    let empty = Answer.ok(FaultScene.whole, FaultScene.validators).cut(after: 0, .reset)
    var scene = try FaultScene(Array(repeating: empty, count: 4) + [FaultScene.rest])
    scene.retryPolicy = RetryPolicy(maximumAttempts: 5, initialDelay: 0)
    let run = try await scene.download(to: "done")
    #expect(run.outcome.error == nil && run.outcome.data == FaultScene.whole)
    #expect(run.requests.count == 5)
    #expect(try scene.contents == ["done"])
  }

  @Test("The same when there are bytes of another version to go on from")
  func otherVersion() async throws {
    let empty = Answer.ok(FaultScene.other, FaultScene.otherValidators).cut(after: 0, .reset)
    var scene = try FaultScene([FaultScene.beginning()] + Array(repeating: empty, count: 4) + [FaultScene.otherRest])
    try await scene.download(to: "done").expect(failure: .networkConnectionLost)
    scene.retryPolicy = RetryPolicy(maximumAttempts: 5, initialDelay: 0)
    let run = try await scene.download(to: "done")
    #expect(run.outcome.error == nil && run.outcome.data == FaultScene.other)
    #expect(try scene.contents == ["done"])
  }
}
