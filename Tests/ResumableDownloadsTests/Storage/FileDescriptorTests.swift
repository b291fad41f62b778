internal import Foundation
internal import Glibc
internal import Testing

@testable internal import ResumableDownloads

@Suite(.timeLimit(.minutes(1)))
struct FileDescriptorTests {
  private func open(_ path: String) throws -> FileDescriptor {
    try #require(FileDescriptor.open(path, flags: O_RDWR | O_CREAT, mode: 0o600))
  }

  @Test("Who only looks at a file is waited for, who writes it is not")
  func locks() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    defer { _ = unlink(path) }
    let (writer, looker, other) = (try open(path), try open(path), try open(path))
    #expect(looker.lockShared())
    #expect(other.lockShared())
    other.unlock()
    // Longer than the lock of another task is tried.
    var pauses = 0
    #expect(
      writer.lock(attempts: 10) {
        pauses += 1
        if pauses == 50 { looker.unlock() }
      })
    #expect(pauses == 50)
    #expect(!other.lockShared())
    #expect(!other.lock())
    #expect(errno == EWOULDBLOCK)
    writer.unlock()
    #expect(other.lock())
  }
}
