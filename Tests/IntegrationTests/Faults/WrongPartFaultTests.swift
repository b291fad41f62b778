import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// A server that answers with 206, but not with the part that was asked for.
@Suite(.timeLimit(.minutes(2)))
struct WrongPartFaultTests {
  /// 206 with that body and that position.
  private static func part(
    _ body: Data, at position: String, _ fields: [Answer.Field] = FaultScene.validators
  ) -> Answer {
    .status(206, body, fields + [("Content-Range", position)])
  }

  @Test("A 206 that holds the whole file replaces what was there")
  func wholeAsPart() async throws {
    let answer = Self.part(FaultScene.whole, at: "bytes 0-999999/1000000")
    let run = try await FaultScene(then: answer).interruptAndResume()
    try run.expectRange()
    #expect(run.requests.count == 1)
    run.expect(FaultScene.whole, resumedAt: [0])
  }

  @Test("A part that begins early overlaps what was there")
  func startsEarly() async throws {
    let answer = FaultScene.from { start in
      .partial(of: FaultScene.whole, (start - 4096)..<FaultScene.length, FaultScene.validators)
    }
    let run = try await FaultScene(then: answer).interruptAndResume()
    let start = try run.expectRange()
    #expect(run.requests.count == 1)
    run.expect(FaultScene.whole, resumedAt: [start - 4096])
  }

  @Test("A part of another version is thrown away and the file fetched anew, once")
  func otherVersion() async throws {
    let answer = FaultScene.from { start in
      .partial(of: FaultScene.other, start..<FaultScene.length, FaultScene.otherValidators)
    }
    let run = try await FaultScene(then: answer, FaultScene.otherRest).interruptAndResume()
    try run.expectRange()
    expectCleanRestart(run)
    run.expect(FaultScene.other, resumedAt: [0])
  }

  @Test("A part with another total is thrown away and the file fetched anew, once")
  func otherTotal() async throws {
    let answer = FaultScene.from { start in
      Self.part(FaultScene.whole[Int(start)..<999_001], at: "bytes \(start)-999000/999001")
    }
    let run = try await FaultScene(then: answer, FaultScene.rest).interruptAndResume()
    expectCleanRestart(run)
    run.expect(FaultScene.whole, resumedAt: [0])
  }

  @Test("A multipart answer is never written", arguments: [true, false])
  func multipart(saysPosition: Bool) async throws {
    let answer = FaultScene.from { start in
      let position = "bytes \(start)-999999/1000000"
      let framing = "--x\r\nContent-Type: text/plain\r\nContent-Range: \(position)\r\n\r\n"
      let body = Data(framing.utf8) + FaultScene.whole.dropFirst(Int(start)) + Data("\r\n--x--\r\n".utf8)
      let fields = saysPosition ? [("Content-Range", position)] : []
      return .status(
        206, body, FaultScene.validators + fields + [("Content-Type", "multipart/byteranges; boundary=x")])
    }
    let run = try await FaultScene(then: answer, FaultScene.rest).interruptAndResume()
    expectCleanRestart(run)
    run.expect(FaultScene.whole, resumedAt: [0])
  }

  @Test("A part that breaks off is kept as far as it came")
  func partBreaksOff() async throws {
    let answer = FaultScene.from { start in
      Answer.partial(of: FaultScene.whole, start..<FaultScene.length, FaultScene.validators).cut(after: 10_000, .close)
    }
    let scene = try FaultScene(interrupted: .close, then: answer, FaultScene.rest)
    let short = try await scene.interruptAndResume()
    let start = try short.expectRange()
    short.expect(failure: .networkConnectionLost)
    #expect(short.outcome.resumeOffsets == [start])
    let blob = try #require(short.outcome.resumeData)
    #expect(try ResumeData(blob).byteOffset == start + 10_000)
    let run = try await scene.resume(blob)
    #expect(run.requests.map { $0.values("Range") } == [["bytes=\(start + 10_000)-"]])
    run.expect(FaultScene.whole, resumedAt: [start + 10_000])
  }

  @Test("A part that ends early by its own account is followed by the next one in the same task")
  func endsEarly() async throws {
    let answer = FaultScene.from { start in
      .partial(of: FaultScene.whole, start..<700_000, FaultScene.validators)
    }
    let run = try await FaultScene(then: answer, FaultScene.rest).interruptAndResume()
    let start = try run.expectRange()
    #expect(run.requests.map { $0.values("Range") } == [["bytes=\(start)-"], ["bytes=700000-"]])
    run.expect(FaultScene.whole, resumedAt: [start])
  }

  @Test("A download is over when all its bytes are there, although the server goes on sending")
  func surplus() async throws {
    let answer = FaultScene.from { start in
      let position = ("Content-Range", "bytes \(start)-999999/1000000")
      let body = FaultScene.whole.dropFirst(Int(start)) + Data(repeating: 0x78, count: 100_000)
      let fields = FaultScene.validators + [position, ("Transfer-Encoding", "chunked")]
      return Answer.raw(Answer.head(206, nil, fields)).then(.send(Answer.chunk(Data(body))), .hang)
    }
    let run = try await FaultScene(then: answer).interruptAndResume()
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange()])
    #expect(run.requests.count == 1)
  }

  @Test("A part without a total that breaks off is no success")
  func unknownTotalBreaksOff() async throws {
    let answer = FaultScene.from { start in
      Self.part(FaultScene.whole.dropFirst(Int(start)), at: "bytes \(start)-999999/*").cut(after: 10_000, .close)
    }
    let run = try await FaultScene(interrupted: .close, then: answer).interruptAndResume()
    let start = try run.expectRange()
    run.expect(failure: .networkConnectionLost)
    #expect(try ResumeData(#require(run.outcome.resumeData)).byteOffset == start + 10_000)
  }

  @Test("A second wrong part after the restart ends the task")
  func oneRestartOnly() async throws {
    let wrong = Self.part(FaultScene.whole.suffix(100), at: "bytes 999900-999999/1000000")
    let scene = try FaultScene(then: wrong, wrong, FaultScene.rest)
    let blob = try await scene.interrupt()
    let run = try await scene.resume(blob)
    expectCleanRestart(run)
    let kept = try run.expect(failure: .badServerResponse, keeping: blob)
    try await scene.resume(kept).expect(FaultScene.whole, resumedAt: [ResumeData(blob).byteOffset])
  }

  private func expectCleanRestart(_ run: FaultRun, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(run.requests.count == 2, sourceLocation: sourceLocation)
    #expect(run.requests.last?.values("Range") == [], sourceLocation: sourceLocation)
    #expect(run.requests.last?.values("If-Range") == [], sourceLocation: sourceLocation)
  }
}
