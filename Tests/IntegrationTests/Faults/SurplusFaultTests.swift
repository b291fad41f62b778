import Foundation
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// A server that goes on sending when the part it announced is over.
@Suite(.timeLimit(.minutes(1)))
struct SurplusFaultTests {
  @Test("A download is over when all its bytes are there, although the server goes on sending")
  func endless() async throws {
    let answer = FaultScene.from { start in
      var fields = FaultScene.validators
      fields.append(("Content-Range", "bytes \(start)-\(FaultScene.length - 1)/\(FaultScene.length)"))
      let body = FaultScene.whole.dropFirst(Int(start)) + Data(repeating: 0x78, count: 100_000)
      return Answer.raw(Answer.head(206, nil, fields + [("Transfer-Encoding", "chunked")]))
        .then(.send(Answer.chunk(Data(body))), .hang)
    }
    let run = try await FaultScene(then: answer).interruptAndResume()
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange()])
    #expect(run.requests.count == 1)
  }
}
