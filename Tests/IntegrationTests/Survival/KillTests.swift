import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import ResumableDownloads

/// A client is killed at every change it makes to its folder, and at moments left to chance.
@Suite(.timeLimit(.minutes(60)))
struct KillTests {
  /// How many kills at moments left to chance; the others are as many as there are calls.
  private static var randomKills: Int {
    ProcessInfo.processInfo.environment["RANDOM_KILLS"].flatMap { Int($0) } ?? 50
  }

  @Test("Killed at any call of a new download, the next run ends it")
  func fresh() async throws {
    try await killEverywhere(try await KillScene(KillScene.rest.answer))
  }

  @Test("Killed at any call of a download that was killed before, the next run ends it")
  func resumed() async throws {
    let scene = try await KillScene(KillScene.rest(.dropAfter(1_300_000, .hang)).answer)
    try await leave(scene, 1_300_000, SIGKILL)
    try await killEverywhere(scene)
  }

  @Test("Killed at any call of a download that was stopped before, the next run ends it")
  func stopped() async throws {
    let scene = try await KillScene(KillScene.rest(.dropAfter(1_300_000, .hang)).answer)
    try await leave(scene, 1_300_000, SIGINT)
    try await killEverywhere(scene)
  }

  @Test("Killed at any call while a new version of the file takes the place of an old one, the next run ends it")
  func replaced() async throws {
    let old = RangeResource(
      .init(.generated(seed: 32, count: 1_500_000), entityTag: "\"k0\""), drops: [.dropAfter(1_200_000, .hang)])
    let scene = try await KillScene { $0.number == 1 ? old.answer($0) : KillScene.rest.answer($0) }
    try await leave(scene, 1_200_000, SIGKILL)
    // The old bytes are of no use, so only what there is of the new ones counts.
    try await killEverywhere(scene, mostLost: .max)
  }

  @Test(
    "Killed at moments left to chance, the next run ends it",
    .enabled(if: Products.isInstalled("nginx"), "nginx is not installed"))
  func random() async throws {
    let root = try TemporaryFolder("root")
    try root.write(KillScene.bytes, to: "file.bin")
    let nginx = try await Nginx.start(root: root.path, options: ServerOptions(bytesPerSecond: 1_200_000))
    let address = nginx.url("/file.bin").absoluteString
    var generator = SeededGenerator(seed: 33)
    var kills = 0
    var round = 0
    while kills < Self.randomKills {
      round += 1
      let folder = try TemporaryFolder("random")
      // Up to three in a row, so that resumes are killed, too.
      for _ in 0..<(1 + round % 3) {
        let child = try ChildProcess(try Products.path("DownloadClient"), [address], folder: folder.path)
        // The moment itself is what is left to chance; nothing is awaited.
        try await Task.sleep(for: .milliseconds(Int.random(in: 5...350, using: &generator)))
        child.send(SIGKILL)
        if try await child.waitForExit() == .signalled(SIGKILL) { kills += 1 }
      }
      let wasThere = FileManager.default.fileExists(atPath: folder.path("file.bin"))
      let kept = journalledBytes(in: folder)
      let before = try await nginx.accessLog().count
      let last = try await ChildProcess.run(try Products.path("DownloadClient"), [address], folder: folder.path)
      if let kept { try await expectRequest(from: kept, in: nginx, after: before) }
      #expect(last.exit == .exited(wasThere ? 1 : 0), "\(last.errorText)")
      #expect(try folder.contents() == ["file.bin"])
      #expect(try Data(contentsOf: folder.url("file.bin")) == KillScene.bytes)
    }
  }

  /// How many bytes the next run has to go on from; nil if there is no journal, or nothing to ask for.
  private func journalledBytes(in folder: TemporaryFolder) -> Int64? {
    let names = (try? folder.contents()) ?? []
    guard names.contains(where: { $0.hasSuffix(".resume") }),
      let name = names.first(where: { $0.hasSuffix(".partial") })
    else { return nil }
    return KillScene.size(folder.path(name)).flatMap { $0 < KillScene.length ? $0 : nil }
  }

  /// Fails at its deadline unless nginx gets that request; its log may have lines of earlier processes in between.
  private func expectRequest(from offset: Int64, in nginx: Nginx, after count: Int) async throws {
    var lines = count
    while true {
      lines += 1
      let log = try await nginx.accessLog(atLeast: lines)
      if log.dropFirst(count).contains(where: { $0.range == "bytes=\(offset)-" }) { return }
    }
  }

  /// Downloads so many bytes and ends the process.
  private func leave(_ scene: KillScene, _ count: Int64, _ signal: Int32) async throws {
    let child = try ChildProcess(try Products.path("DownloadClient"), [scene.address], folder: scene.folder.path)
    let path = scene.folder.path(scene.stem + ".partial")
    let isThere = try await child.reaches("\(count) bytes", in: scene.folder.path) { _ in
      KillScene.size(path) ?? 0 >= count
    }
    #expect(isThere)
    child.send(signal)
    #expect(try await child.waitForExit() == (signal == SIGINT ? .exited(130) : .signalled(signal)))
  }

  private func killEverywhere(_ scene: KillScene, mostLost: Int64? = nil) async throws {
    var kills = 0
    for (kind, number, moment) in moments(try await scene.counts()) {
      let place = try scene.copy()
      let order = Preload.Order.kill(kind, number, moment)
      // How often a kind comes depends on what comes in first, the network or the disk, so some may not come.
      if try await scene.run(in: place, [order]).exit == .signalled(SIGKILL) { kills += 1 }
      try await scene.recover(in: place, mostLost: mostLost, "\(order)")
    }
    #expect(kills > 10)
  }

  /// Every call, before and after; of the many writes a few, in their middle.
  private func moments(_ counts: [String: Int]) -> [(String, Int, Preload.Order.Moment)] {
    counts.sorted { $0.key < $1.key }.flatMap { kind, count -> [(String, Int, Preload.Order.Moment)] in
      guard kind == "write" else {
        return (1...count).flatMap { number in [(kind, number, .before), (kind, number, .after)] }
      }
      let step = max(1, count / 16)
      return stride(from: 1, through: count, by: step).map { (kind, $0, .torn) }
    }
  }
}
