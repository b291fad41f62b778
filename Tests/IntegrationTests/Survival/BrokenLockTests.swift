import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import ResumableDownloads

/// A file system, as some in a network are, whose locks fail or keep nobody out.
@Suite(.timeLimit(.minutes(3)))
struct BrokenLockTests {
  private static let codes = [ENOLCK, EOPNOTSUPP, 0]

  @Test("Where locks do not work a download says so and touches nothing", arguments: codes)
  func alone(code: Int32) async throws {
    let scene = try await KillScene(KillScene.rest.answer)
    let result = try await scene.run(in: scene.folder, [.locks(code)])
    try expectRefusal(result, code)
    #expect(try scene.folder.contents() == [])
    try await scene.recover(in: scene.folder, "after locks that did not work")
  }

  @Test("What an earlier download left stays as it is where locks do not work", arguments: codes)
  func leftAlone(code: Int32) async throws {
    let scene = try await KillScene(KillScene.rest(.dropAfter(1_300_000)).answer)
    #expect(try await scene.run(in: scene.folder).exit == .exited(1))
    let before = try scene.folder.contents().map { try Data(contentsOf: scene.folder.url($0)) }
    try expectRefusal(try await scene.run(in: scene.folder, [.locks(code)]), code)
    #expect(try scene.folder.contents().map { try Data(contentsOf: scene.folder.url($0)) } == before)
    try await scene.recover(in: scene.folder, "after locks that did not work")
  }

  @Test("Several processes for one file never make a damaged one where locks do not work", arguments: codes)
  func together(code: Int32) async throws {
    let scene = try await KillScene(KillScene.rest.answer)
    let environment = scene.preload.environment(folder: scene.folder.path, orders: [.locks(code)])
    let program = try Products.path("DownloadClient")
    let children = try (0..<4).map { _ in
      try ChildProcess(program, [scene.address], environment: environment, folder: scene.folder.path)
    }
    for child in children {
      let result = try await child.wait()
      if result.exit != .exited(0) { #expect(result.exit == .exited(1), "\(result.errorText)") }
    }
    let names = try scene.folder.contents()
    #expect(names == [] || names == ["file.bin"])
    if names == ["file.bin"] { #expect(try Data(contentsOf: scene.folder.url("file.bin")) == KillScene.bytes) }
  }

  @Test("Two tasks of two processes that continue one partial file: one does, the other is told who has it")
  func workingLocks() async throws {
    let gate = Gate()
    let resource = KillScene.rest(.dropAfter(1_300_000))
    let scene = try await KillScene { request in
      request.number == 2 ? resource.answer(request).inserting(.wait(gate), after: 1_000) : resource.answer(request)
    }
    #expect(try await scene.run(in: scene.folder).exit == .exited(1))
    let program = try Products.path("DownloadClient")
    let first = try ChildProcess(program, [scene.address], folder: scene.folder.path)
    try await scene.server.waitForRequests(2)
    let second = try await scene.run(in: scene.folder)
    #expect(second.exit == .exited(1) && second.errorText.contains("Another download is writing"))
    gate.open()
    #expect(try await first.wait().exit == .exited(0))
    #expect(try Data(contentsOf: scene.folder.url("file.bin")) == KillScene.bytes)
  }

  private func expectRefusal(_ result: ChildProcess.Result, _ code: Int32) throws {
    #expect(result.exit == .exited(1))
    let reason = code == 0 ? ENOLCK : code
    #expect(result.errorText.contains(String(cString: strerror(reason))), "\(result.errorText)")
    #expect(result.errorText.contains("POSIX \(reason)\n"), "\(result.errorText)")
  }
}
