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

  private static let memory = "/dev/shm"

  @Test(
    "A file in memory gets no pages ahead, but a memory that is too small is an error",
    .enabled(if: FileDescriptor.open(memory, flags: O_RDONLY).map { HiddenCalls.isInMemory($0.number) } == true))
  func spaceInMemory() throws {
    let path = "\(Self.memory)/\(UUID().uuidString)"
    defer { _ = unlink(path) }
    let file = try open(path)
    #expect(file.reserve(from: 0, count: 1 << 20))
    #expect(file.status?.size == 0)
    var status = stat()
    #expect(fstat(file.number, &status) == 0 && status.st_blocks == 0)
    var space = statvfs()
    #expect(fstatvfs(file.number, &space) == 0)
    guard space.f_blocks > 0 else { return }
    #expect(!file.reserve(from: 0, count: Int64(space.f_blocks) * Int64(space.f_frsize) + 1))
    #expect(errno == ENOSPC)
    #expect(!file.reserve(from: 0, count: .max))
  }
}
