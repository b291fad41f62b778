import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Connections that fall silent, end too early or are refused.
@Suite(.timeLimit(.minutes(2)))
struct BrokenConnectionFaultTests {
  @Test("A silent server is given up, and the download continues")
  func silent() async throws {
    var scene = try FaultScene([FaultScene.beginning(.hang), FaultScene.rest])
    scene.timeout = 1
    let silent = try await scene.start()
    silent.expect(failure: .timedOut)
    let blob = try #require(silent.outcome.resumeData)
    #expect(try ResumeData(blob).byteOffset == FaultScene.firstPart)
    try await scene.resume(blob).expect(FaultScene.whole, resumedAt: [FaultScene.firstPart])
  }

  @Test("A connection that delivers nothing leaves all as it was", arguments: [false, true])
  func nothing(sendsHead: Bool) async throws {
    let empty = FaultScene.from { start in
      let whole = Answer.partial(of: FaultScene.whole, start..<FaultScene.length, FaultScene.validators)
      return sendsHead ? whole.cut(after: 0, .close) : Answer([.close])
    }
    let scene = try FaultScene([FaultScene.beginning(), empty, FaultScene.rest])
    let blob = try await scene.interrupt()
    let failed = try await scene.resume(blob)
    let kept = try failed.expect(failure: .networkConnectionLost, keeping: blob)
    try await scene.resume(kept).expect(FaultScene.whole, resumedAt: [try ResumeData(blob).byteOffset])
  }

  @Test("A refused connection leaves all as it was")
  func refused() async throws {
    let scene = try FaultScene()
    let blob = try await scene.interrupt()
    scene.server.stop()
    let failed = try await scene.resume(blob)
    let kept = try failed.expect(failure: .cannotConnectToHost, keeping: blob)
    let server = try LoopbackServer([FaultScene.rest])
    let moved = try ResumeData(kept).replacingRequest(URLRequest(url: server.url()))
    try await scene.resume(moved.encoded).expect(
      FaultScene.whole, resumedAt: [try ResumeData(blob).byteOffset])
  }

  @Test("Chunks that end without the last one are no whole file")
  func chunksCut() async throws {
    let size = 16 * 1024
    let chunks = (0..<20).map { Data(FaultScene.whole[($0 * size)..<(($0 + 1) * size)]) }
    let scene = try FaultScene([
      .chunked(chunks, FaultScene.validators, terminated: false), FaultScene.rest,
    ])
    let blob = try await scene.interrupt()
    #expect(try ResumeData(blob).expectedTotalBytes == nil)
    let run = try await scene.resume(blob)
    #expect(try run.expectRange() == Int64(20 * size))
    run.expect(FaultScene.whole, resumedAt: [Int64(20 * size)])
    #expect(run.outcome.events.contains(.resumed(offset: Int64(20 * size), expected: FaultScene.length)))
  }

  @Test("A body that ends with the connection is the file, and its length stays unknown")
  func untilClose() async throws {
    let run = try await FaultScene([.untilClose(FaultScene.whole)]).start()
    run.expect(FaultScene.whole, resumedAt: [])
    for case .wrote(_, _, let expected) in run.outcome.events { #expect(expected == -1) }
  }

  @Test("A body that would end with the connection is lost by a reset", arguments: [true, false])
  func untilCloseReset(hasValidators: Bool) async throws {
    let answer = Answer.untilClose(FaultScene.whole, hasValidators ? FaultScene.validators : [])
      .cut(after: FaultScene.firstPart, .reset)
    let run = try await FaultScene([answer]).start()
    run.expect(failure: .networkConnectionLost)
    #expect((run.outcome.resumeData != nil) == hasValidators)
  }

  @Test("A body that was compressed all the same is decoded")
  func compressed() async throws {
    let run = try await FaultScene([Self.coded]).start()
    run.expect(Self.text, resumedAt: [])
    for case .wrote(_, _, let expected) in run.outcome.events { #expect(expected == -1) }
  }

  @Test("A compressed body that breaks off cannot be continued")
  func compressedBreaksOff() async throws {
    let run = try await FaultScene([Self.coded.cut(after: 30, .close)]).start()
    run.expect(failure: .networkConnectionLost)
    #expect(run.outcome.resumeData == nil)
  }

  private static let text = Data("some words\n".utf8)
  private static let coded = Answer.ok(gzipped(text), FaultScene.validators + [("Content-Encoding", "gzip")])
}
