import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Resume data that is broken, and partial files that are not what they were.
@Suite(.timeLimit(.minutes(2)))
struct BlobFaultTests {
  @Test("Bytes that are no resume data end the task without a request", arguments: 0..<6)
  func broken(kind: Int) async throws {
    let scene = try FaultScene(then: FaultScene.rest)
    let blob = try await scene.interrupt()
    let kinds: [Data] = [
      Data(), Payload.bytes(seed: 3, count: 200), blob.prefix(blob.count / 2),
      try edited(blob) { $0["offset"] = -1 }, try edited(blob) { $0["url"] = "file:///etc/passwd" },
      Data("<?xml version=\"1.0\"?><plist version=\"1.0\"><dict/></plist>".utf8),
    ]
    let run = try await scene.resume(kinds[kind])
    run.expect(failure: .unsupportedURL)
    #expect(run.requests.isEmpty)
  }

  @Test("Without its partial file a download begins anew")
  func partialGone() async throws {
    let scene = try FaultScene(then: FaultScene.rest)
    let blob = try await scene.interrupt()
    try FileManager.default.removeItem(at: ResumeData(blob).partialURL)
    let run = try await scene.resume(blob)
    #expect(run.requests.map { $0.values("Range") } == [[]])
    run.expect(FaultScene.whole, resumedAt: [0])
  }

  @Test("A link in the place of the partial file is never followed")
  func link() async throws {
    let scene = try FaultScene(then: FaultScene.rest)
    let blob = try await scene.interrupt()
    let partial = try ResumeData(blob).partialURL
    let victim = scene.folder.url("victim")
    try FaultScene.other.write(to: victim)
    try FileManager.default.removeItem(at: partial)
    try FileManager.default.createSymbolicLink(at: partial, withDestinationURL: victim)
    let run = try await scene.resume(blob)
    run.expect(failure: .cannotOpenFile)
    #expect(run.requests.isEmpty)
    #expect(try Data(contentsOf: victim) == FaultScene.other)
  }

  @Test("A partial file is found where its folder has moved to")
  func folderMoved() async throws {
    let scene = try FaultScene(then: FaultScene.rest)
    let blob = try await scene.interrupt()
    let elsewhere = try edited(blob) { $0["partialPath"] = "/nonexistent/" + ($0["partialName"] as? String ?? "") }
    let run = try await scene.resume(elsewhere)
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange()])
  }

  @Test("Resume data that has served its purpose yields the whole file again")
  func usedTwice() async throws {
    let scene = try FaultScene(then: FaultScene.rest, FaultScene.rest)
    let blob = try await scene.interrupt()
    try await scene.resume(blob).expect(FaultScene.whole, resumedAt: [try ResumeData(blob).byteOffset])
    let again = try await scene.resume(blob)
    #expect(again.requests.map { $0.values("Range") } == [[]])
    again.expect(FaultScene.whole, resumedAt: [0])
  }

  @Test("An empty partial file is no reason for a range")
  func empty() async throws {
    let scene = try FaultScene(then: FaultScene.rest)
    let blob = try await scene.interrupt()
    try EditedPartial(blob).resize(to: 0)
    let run = try await scene.resume(blob)
    #expect(run.requests.map { $0.values("Range") + $0.values("If-Range") } == [[]])
    run.expect(FaultScene.whole, resumedAt: [0])
  }

  @Test("Offsets beyond four gibibytes are exact")
  func huge() async throws {
    let (offset, total): (Int64, Int64) = (5_000_000_000, 5_000_000_100)
    let tail = FaultScene.whole.prefix(100)
    let position = ("Content-Range", "bytes \(offset)-\(total - 1)/\(total)")
    let scene = try FaultScene(then: .status(206, tail, FaultScene.validators + [position]))
    let partial = try EditedPartial(try await scene.interrupt())
    try await partial.settle()
    try partial.resize(to: offset)
    try partial.change { ($0["offset"], $0["total"]) = (offset, total) }
    let run = try await scene.resume(try partial.blob())
    #expect(run.outcome.error == nil)
    #expect(run.violations == [])
    #expect(run.requests.map { $0.values("Range") } == [["bytes=\(offset)-"]])
    #expect(run.outcome.events.first == .resumed(offset: offset, expected: total))
    #expect(run.outcome.events.contains(.wrote(bytes: 100, total: total, expected: total)))
    let handle = try FileHandle(forReadingFrom: #require(run.outcome.file))
    #expect(try handle.seekToEnd() == UInt64(total))
    try handle.seek(toOffset: UInt64(offset))
    #expect(try handle.readToEnd() == tail)
  }
}
