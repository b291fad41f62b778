import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import ResumableDownloads

/// The user's share of the disk is used up: the reason is told, with the system's error underneath, and what there is
/// counts.
@Suite(.timeLimit(.minutes(3)))
struct QuotaTests {
  /// The whole file in pieces, so that nothing can be reserved.
  private static let pieces = stride(from: 0, to: KillScene.length, by: 50_000).map {
    KillScene.bytes[$0..<$0 + 50_000]
  }

  @Test("A quota that is too small for the file is told before the body")
  func atOnce() async throws {
    let scene = try await KillScene(KillScene.rest.answer)
    let result = try await scene.run(in: scene.folder, [.quota(1_000_000)])
    expect(result, EDQUOT, resumesAt: nil)
    #expect(try scene.folder.contents() == [])
    try await scene.recover(in: scene.folder, "after a quota that was too small")
  }

  @Test("A quota that ends in the middle leaves a partial file to go on from, journal included")
  func inTheMiddle() async throws {
    let scene = try await KillScene { request in
      request.number == 1 ? .chunked(Self.pieces, [("ETag", "\"k1\"")]) : KillScene.rest.answer(request)
    }
    let result = try await scene.run(in: scene.folder, [.quota(1_300_000)])
    let kept = try #require(KillScene.size(scene.folder.path(scene.stem + ".partial")))
    #expect(kept > KillScene.mebibyte)
    expect(result, EDQUOT, resumesAt: kept)
    try await scene.recover(in: scene.folder, "after a quota that ended in the middle")
    #expect(scene.server.requests.last?.rangeStart == kept)
  }

  @Test("A quota that is used up before the first byte leaves nothing")
  func beforeTheFirstByte() async throws {
    let scene = try await KillScene { request in
      request.number == 1 ? .chunked(Self.pieces, [("ETag", "\"k1\"")]) : KillScene.rest.answer(request)
    }
    let result = try await scene.run(in: scene.folder, [.quota(0)])
    expect(result, EDQUOT, resumesAt: nil)
    #expect(try scene.folder.contents() == [])
    try await scene.recover(in: scene.folder, "after a quota that was used up")
  }

  @Test("A journal for which the quota has no room is told, and the bytes stay if there is room for it at the end")
  func journal() async throws {
    let scene = try await KillScene(KillScene.rest.answer)
    let result = try await scene.run(
      in: scene.folder, [.fail("write", try await journalWrite(scene), EDQUOT, forEver: false)])
    let kept = try #require(KillScene.size(scene.folder.path(scene.stem + ".partial")))
    expect(result, EDQUOT, resumesAt: kept)
    try await scene.recover(in: scene.folder, "after a journal that failed")
    #expect(scene.server.requests.last?.rangeStart == kept)
  }

  @Test("A quota that refuses the final name is told, and the same call then ends the download without a request")
  func finalMove() async throws {
    let scene = try await KillScene(KillScene.rest.answer)
    let last = try #require(try await scene.counts()["rename"])
    let result = try await scene.run(in: scene.folder, [.fail("rename", last, EDQUOT, forEver: true)])
    expect(result, EDQUOT, resumesAt: nil, mayResume: true)
    #expect(!FileManager.default.fileExists(atPath: scene.folder.path("file.bin")))
    try await scene.recover(in: scene.folder, mostLost: .max, "after a final move that failed")
  }

  /// The number of the write that makes the first journal.
  private func journalWrite(_ scene: KillScene) async throws -> Int {
    let logs = try TemporaryFolder("logs")
    _ = try await scene.run(in: scene.copy(), [], log: logs.path("log"))
    var (journals, writes) = (Set<UInt64>(), 0)
    for call in try DiskCall.read(logs.path("log")) {
      if case .create(let inode, let name) = call, name.hasSuffix(".resume.new") { journals.insert(inode) }
      guard case .write(let inode, _, _) = call else { continue }
      writes += 1
      if journals.contains(inode) { return writes }
    }
    throw TestSupportError.commandFailed("no journal was written")
  }

  private func expect(
    _ result: ChildProcess.Result, _ code: Int32, resumesAt offset: Int64?, mayResume: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let lines = result.errorText.split(separator: "\n").map(String.init)
    #expect(result.exit == .exited(1), sourceLocation: sourceLocation)
    #expect(lines.first?.contains(String(cString: strerror(code))) == true, "\(lines)", sourceLocation: sourceLocation)
    #expect(lines.contains("POSIX \(code)"), "\(lines)", sourceLocation: sourceLocation)
    guard !mayResume else { return }
    #expect(
      lines.last { $0.hasPrefix("resumes at") } == offset.map { "resumes at \($0)" }, sourceLocation: sourceLocation)
  }
}
