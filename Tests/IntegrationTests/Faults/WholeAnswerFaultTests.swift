import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// A server that answers a range request with 200.
@Suite(.timeLimit(.minutes(2)))
struct WholeAnswerFaultTests {
  @Test("A server that ignores the range gives the file from its start")
  func rangeIgnored() async throws {
    let answer = Answer.ok(FaultScene.whole, FaultScene.validators)
    let run = try await FaultScene(then: answer).interruptAndResume()
    try run.expectRange()
    #expect(run.requests.count == 1)
    run.expect(FaultScene.whole, resumedAt: [0])
    #expect(run.outcome.status == 200)
  }

  @Test("A file that was replaced comes whole")
  func replaced() async throws {
    let run = try await FaultScene(then: FaultScene.otherRest).interruptAndResume()
    try run.expectRange()
    #expect(run.requests.count == 1)
    run.expect(FaultScene.other, resumedAt: [0])
  }

  @Test("The same bytes under another tag come whole, without an error")
  func tagPerNode() async throws {
    let node = RangeResource(.init(.data(FaultScene.whole), entityTag: "\"n2\""))
    let run = try await FaultScene(then: .from(node.answer)).interruptAndResume()
    try run.expectRange()
    run.expect(FaultScene.whole, resumedAt: [0])
  }

  @Test("A login page leaves the partial file as it was")
  func loginPage() async throws {
    let page = Data(repeating: UInt8(ascii: "x"), count: 900)
    let portal = Answer.ok(page, [("Content-Type", "text/html")])
    let scene = try FaultScene(then: .redirect(to: "/portal"), portal, FaultScene.rest)
    let blob = try await scene.interrupt()
    let refused = try await scene.resume(blob)
    #expect(refused.requests.map(\.target) == ["/file", "/portal"])
    let kept = try refused.expect(failure: .badServerResponse, keeping: blob)
    #expect(refused.outcome.status == 200)
    let run = try await scene.resume(kept)
    #expect(run.requests.map(\.target) == ["/file"])
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange()])
  }

  @Test("A 200 that says it is the part is appended or refused, never misplaced", arguments: [true, false])
  func mislabelledPart(hasTag: Bool) async throws {
    let answer = FaultScene.from { start in
      let position = ("Content-Range", "bytes \(start)-999999/1000000")
      return .ok(FaultScene.whole.dropFirst(Int(start)), (hasTag ? FaultScene.validators : []) + [position])
    }
    let scene = try FaultScene(then: answer, FaultScene.rest)
    let blob = try await scene.interrupt()
    let run = try await scene.resume(blob)
    let start = try run.expectRange()
    if hasTag {
      run.expect(FaultScene.whole, resumedAt: [start])
    } else {
      let kept = try run.expect(failure: .badServerResponse, keeping: blob)
      try await scene.resume(kept).expect(FaultScene.whole, resumedAt: [start])
    }
  }

  @Test("A 200 that says it is the whole of itself is a file")
  func wholeWithPosition() async throws {
    let position = ("Content-Range", "bytes 0-999999/1000000")
    let scene = try FaultScene([.ok(FaultScene.whole, FaultScene.validators + [position])])
    try await scene.start().expect(FaultScene.whole, resumedAt: [])
  }

  @Test("A restart that breaks off keeps the bytes of the new version")
  func restartBreaksOff() async throws {
    let begun = Answer.ok(FaultScene.other, FaultScene.otherValidators).cut(after: 300_000, .close)
    let scene = try FaultScene(then: begun, FaultScene.rest, FaultScene.rest)
    let blob = try await scene.interrupt()
    let short = try await scene.resume(blob)
    short.expect(failure: .networkConnectionLost)
    #expect(short.outcome.resumeOffsets == [0])
    let kept = try #require(short.outcome.resumeData)
    let run = try await scene.resume(kept)
    // Whichever of the two partial files was kept, its tag and its bytes belong together.
    #expect(run.requests.first?.value("If-Range") == (try ResumeData(kept).entityTag))
    #expect(run.outcome.data == FaultScene.whole)
    #expect(run.violations == [])
  }
}
