import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import ResumableDownloads

/// The right to use the folder or a file in it is gone; also root, whom the system lets do all, is refused here.
@Suite(.timeLimit(.minutes(3)))
struct LostPermissionTests {
  @Test("Without the right to make files a download says so and leaves nothing", arguments: [EACCES, EPERM, EROFS])
  func create(code: Int32) async throws {
    let scene = try await KillScene(KillScene.rest.answer)
    let result = try await scene.run(in: scene.folder, [.fail("create", 1, code, forEver: true)])
    expect(result, code)
    #expect(try scene.folder.contents() == [])
    try await scene.recover(in: scene.folder, "after files could not be made")
  }

  @Test("A partial file that may not be opened any more is an error and stays as it is", arguments: [EACCES, EPERM])
  func open(code: Int32) async throws {
    let scene = try await KillScene(KillScene.rest(.dropAfter(1_300_000)).answer)
    #expect(try await scene.run(in: scene.folder).exit == .exited(1))
    let before = try scene.folder.contents()
    let asked = scene.server.requests.count
    expect(try await scene.run(in: scene.folder, [.fail("open", 1, code, forEver: true)]), code)
    #expect(try scene.folder.contents() == before)
    #expect(scene.server.requests.count == asked)
    try await scene.recover(in: scene.folder, "after files could not be opened")
  }

  @Test(
    "A right that is lost on the way is an error, and what is there counts", arguments: ["write", "rename", "unlink"])
  func onTheWay(kind: String) async throws {
    let scene = try await KillScene(KillScene.rest.answer)
    let count = try #require(try await scene.counts()[kind])
    let result = try await scene.run(in: scene.folder, [.fail(kind, max(1, count / 2), EACCES, forEver: true)])
    // A file that is complete does not suffer from what cannot be removed beside it.
    if kind != "unlink" || result.exit != .exited(0) { expect(result, EACCES) }
    try await scene.recover(in: scene.folder, mostLost: .max, "after a right was lost")
  }

  private func expect(_ result: ChildProcess.Result, _ code: Int32, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(result.exit == .exited(1), sourceLocation: sourceLocation)
    let text = result.errorText
    #expect(text.contains(String(cString: strerror(code))), "\(text)", sourceLocation: sourceLocation)
    #expect(text.contains("POSIX \(code)\n"), "\(text)", sourceLocation: sourceLocation)
  }
}
