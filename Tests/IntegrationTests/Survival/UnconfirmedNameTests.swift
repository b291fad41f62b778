import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import ResumableDownloads

/// The disk refuses to confirm the final name of a whole file.
@Suite(.timeLimit(.minutes(3)))
struct UnconfirmedNameTests {
  private let scene: KillScene
  /// The last sync, which is that of the destination's folder.
  private let last: Int

  init() async throws {
    scene = try await KillScene(KillScene.rest.answer)
    last = try #require(try await scene.counts()["sync"])
  }

  @Test("A name that the disk does not take is an error, and the same call then ends it without a request")
  func newFile() async throws {
    let result = try await scene.run(in: scene.folder, [.fail("sync", last, EIO, forEver: false)])
    #expect(result.exit == .exited(1))
    #expect(result.errorText.contains("Cannot move") && result.errorText.contains(String(cString: strerror(EIO))))
    #expect(try scene.folder.contents() == [scene.stem + ".partial", scene.stem + ".resume"])
    #expect(try mode(scene.stem + ".partial") == 0o600)
    let asked = scene.server.requests.count
    try await scene.recover(in: scene.folder, "after a name that was not confirmed")
    #expect(scene.server.requests.count == asked)
  }

  @Test("A whole file that has taken an older one's place stays there, and the error says so")
  func olderFile() async throws {
    try scene.folder.write(Data("old".utf8), to: "file.bin")
    let orders = [Preload.Order.fail("sync", last, EIO, forEver: false)]
    let result = try await ChildProcess.run(
      try Products.path("DownloadClient"), [scene.address, "replacing"],
      environment: scene.preload.environment(folder: scene.folder.path, orders: orders), folder: scene.folder.path)
    #expect(result.exit == .exited(1))
    #expect(result.errorText.contains("is at") && result.errorText.contains(String(cString: strerror(EIO))))
    #expect(try scene.folder.contents() == ["file.bin"])
    #expect(try Data(contentsOf: scene.folder.url("file.bin")) == KillScene.bytes)
  }

  @Test("Where folders cannot be synced at all, a download is none the worse")
  func noSync() async throws {
    let result = try await scene.run(in: scene.folder, [.fail("sync", last, EINVAL, forEver: false)])
    #expect(result.exit == .exited(0), "\(result.errorText)")
    #expect(try scene.folder.contents() == ["file.bin"])
    #expect(try Data(contentsOf: scene.folder.url("file.bin")) == KillScene.bytes)
  }

  private func mode(_ name: String) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: scene.folder.path(name))
    return (attributes[.posixPermissions] as? NSNumber)?.intValue
  }
}
