import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import ResumableDownloads

/// Each call that touches the disk fails once, or for ever: the user is told why, and the same command works later.
@Suite(.timeLimit(.minutes(10)))
struct FailingDiskTests {
  private static let codes = [EIO, ENOSPC, EDQUOT, EROFS]

  @Test("A call that fails in a new download ends it with its reason, and the next run completes it", arguments: codes)
  func fresh(code: Int32) async throws {
    try await failEverywhere(try await KillScene(KillScene.rest.answer), code)
  }

  @Test("A call that fails in a resumed download ends it with its reason, and the next run completes it")
  func resumed() async throws {
    let scene = try await KillScene(KillScene.rest(.dropAfter(1_300_000)).answer)
    #expect(try await scene.run(in: scene.folder).exit == .exited(1))
    try await failEverywhere(scene, EIO)
  }

  @Test("Short writes lose nothing")
  func shortWrites() async throws {
    let scene = try await KillScene(KillScene.rest.answer)
    let result = try await scene.run(in: scene.folder, [.shortWrites(1000)])
    #expect(result.exit == .exited(0), "\(result.errorText)")
    #expect(try scene.folder.contents() == ["file.bin"])
    #expect(try Data(contentsOf: scene.folder.url("file.bin")) == KillScene.bytes)
  }

  @Test("After a sync that failed nothing counts that it should have synced, though the next sync succeeds")
  func failedSync() async throws {
    let scene = try await KillScene(KillScene.rest(.dropAfter(1_300_000)).answer)
    #expect(try await scene.run(in: scene.folder).exit == .exited(1))
    let logs = try TemporaryFolder("logs")
    _ = try await scene.run(in: scene.copy(), [], log: logs.path("log"))
    // The last sync of the file itself is the one before its final move.
    let syncs = try DiskCall.read(logs.path("log")).filter { $0.kind == "sync" }
    let last = try #require(syncs.lastIndex { if case .sync = $0 { true } else { false } }) + 1
    let result = try await scene.run(in: scene.folder, [.fail("sync", last, EIO, forEver: false)])
    #expect(result.exit == .exited(1))
    #expect(result.errorText.contains(String(cString: strerror(EIO))))
    #expect(!FileManager.default.fileExists(atPath: scene.folder.path("file.bin")))
    let kept = try PartialDirectory(sharedPath: scene.folder.path).records().first
    #expect((kept?.byteOffset ?? 0) == (kept?.syncedByteOffset ?? 0))
    try await scene.recover(in: scene.folder, "after a failed sync")
  }

  private func failEverywhere(_ scene: KillScene, _ code: Int32) async throws {
    let reason = String(cString: strerror(code))
    var failures = 0
    for (kind, number, forEver) in failing(try await scene.counts()) {
      let (place, order) = (try scene.copy(), Preload.Order.fail(kind, number, code, forEver: forEver))
      let result = try await scene.run(in: place, [order])
      if result.exit != .exited(0) {
        failures += 1
        #expect(result.exit == .exited(1) && result.errorText.contains(reason), "\(result.errorText), \(order)")
      }
      // What was not synced counts only as far as the disk took it, so nothing is said of how much comes again.
      try await scene.recover(in: place, mostLost: .max, "\(order)")
    }
    #expect(failures > 4)
  }

  /// The first, second and last call of each kind; from each of them on, or only that one.
  private func failing(_ counts: [String: Int]) -> [(String, Int, Bool)] {
    counts.sorted { $0.key < $1.key }.flatMap { kind, count -> [(String, Int, Bool)] in
      Set([1, min(2, count), count]).sorted().flatMap { [(kind, $0, false), (kind, $0, true)] }
    }
  }
}
