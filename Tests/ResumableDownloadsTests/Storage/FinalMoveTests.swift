internal import Foundation
internal import Glibc
internal import Testing

@testable internal import ResumableDownloads

@Suite(.timeLimit(.minutes(1)))
struct FinalMoveTests {
  let fixture: StorageFixture

  init() throws {
    fixture = try StorageFixture()
  }

  @Test("A free name is taken, and nothing is left under the old one", arguments: [false, true])
  func aFreeNameIsTaken(replacing: Bool) async throws {
    let file = try fixture.partial("a", "abc", fixture.record("a"))
    let finished = try await file.finish(at: fixture.root + "/done", replacing: replacing)
    #expect(fixture.text("done") == "abc")
    #expect(!fixture.exists("partials/a.partial") && !fixture.exists("partials/a.resume"))
    #expect(FileStatus.of(finished.path).map { $0.mode & 0o777 } == SystemFacts.fileMode)
  }

  @Test("An existing file stays unless it is to be replaced")
  func anExistingFileStaysUnlessReplacing() async throws {
    let destination = fixture.root + "/done"
    try Data("mine".utf8).write(to: URL(fileURLWithPath: destination))
    let file = try fixture.partial("a", "abc", fixture.record("a"))
    await #expect(throws: StorageError(operation: .move, code: EEXIST, path: destination)) {
      _ = try await file.finish(at: destination, replacing: false)
    }
    #expect(fixture.text("done") == "mine")
    #expect(fixture.text("partials/a.partial") == "abc" && file.hasJournal)
    #expect(FileStatus.of(file.path).map { $0.mode & 0o777 } == 0o600)
    _ = try await file.finish(at: destination, replacing: true)
    #expect(fixture.text("done") == "abc")
  }

  @Test("A copy never shows half a file", arguments: [false, true])
  func aCopyNeverShowsHalfAFile(replacing: Bool) throws {
    let file = try fixture.partial("a", "abc", fixture.record("a"))
    let move = FinalMove(
      file: try #require(file.descriptor), directory: fixture.directory.descriptor, name: file.name,
      path: file.path, destination: fixture.root + "/done", length: 3, replacing: replacing)
    _ = try move.copy(size: 3)
    #expect(fixture.text("done") == "abc")
    #expect(fixture.exists("partials/a.partial"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.root).sorted() == ["done", "partials"])
    move.removeSource()
    #expect(!fixture.exists("partials/a.partial"))
  }

  @Test("A file comes to another file system as a copy")
  func aCopyToAnotherFileSystem() async throws {
    let destination = "/dev/shm/\(UUID().uuidString)"
    defer { _ = unlink(destination) }
    let file = try fixture.partial("a", "abc", fixture.record("a"))
    _ = try await file.finish(at: destination, replacing: false)
    #expect(try String(contentsOfFile: destination, encoding: .utf8) == "abc")
    #expect(!fixture.exists("partials/a.partial") && !fixture.exists("partials/a.resume"))
  }

  @Test("A file that was replaced is not delivered")
  func aFileThatWasReplacedIsNotDelivered() throws {
    let file = try fixture.partial("a", "abc", fixture.record("a"))
    #expect(unlink(file.path) == 0)
    #expect(throws: StorageError(operation: .move, code: ESTALE, path: file.path)) { _ = try file.finishTemporary() }
    try Data("other".utf8).write(to: URL(fileURLWithPath: file.path))
    #expect(throws: StorageError(operation: .move, code: ESTALE, path: file.path)) { _ = try file.finishTemporary() }
    #expect(fixture.text("partials/a.partial") == "other")
  }

  @Test("A temporary file is removed only if it is unchanged")
  func aTemporaryFileIsRemovedOnlyIfUnchanged() throws {
    let file = try fixture.partial("a", "abc", fixture.record("a"))
    let finished = try file.finishTemporary()
    #expect(fixture.text("partials/a.tmp") == "abc" && !fixture.exists("partials/a.resume"))
    #expect(rename(finished.path, fixture.root + "/moved") == 0)
    try Data("other".utf8).write(to: URL(fileURLWithPath: finished.path))
    finished.removeIfUnchanged()
    #expect(fixture.text("partials/a.tmp") == "other")
    #expect(rename(fixture.root + "/moved", finished.path) == 0)
    finished.removeIfUnchanged()
    #expect(!fixture.exists("partials/a.tmp"))
  }
}
