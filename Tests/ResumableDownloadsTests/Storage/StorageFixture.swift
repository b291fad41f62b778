internal import Foundation
internal import Glibc
internal import TestSupport
internal import Testing

@testable internal import ResumableDownloads

/// A private folder for partial files, in one that is removed with everything in it at the end of a test.
struct StorageFixture {
  private let folder: TemporaryFolder
  let directory: PartialDirectory
  var root: String { folder.path }

  init() throws {
    folder = try TemporaryFolder("storage")
    directory = try PartialDirectory(privatePath: folder.path("partials"))
  }

  /// A record for a partial file in the folder.
  func record(
    _ stem: String, offset: Int64 = 0, synced: Int64 = 0, closed: Bool = false,
    boot: String = BootIdentifier.current
  ) -> ResumeData {
    makeRecord(path: directory.path + "/" + stem + ".partial")
      .updating(written: offset, synced: synced, isClosed: closed, bootIdentifier: boot)
  }

  /// A partial file with `text` and a journal.
  func partial(_ stem: String, _ text: String, _ record: ResumeData) throws -> PartialFile {
    let file = try directory.create(stem: stem)
    try file.append(text)
    try file.writeJournal(record)
    return file
  }

  func exists(_ name: String) -> Bool { FileStatus.of(root + "/" + name) != nil }

  func text(_ name: String) -> String? { try? String(contentsOfFile: root + "/" + name, encoding: .utf8) }
}

extension PartialFile {
  /// Appends the bytes of a string.
  func append(_ text: String) throws {
    try Data(text.utf8).withUnsafeBytes { bytes in try append(bytes) }
  }

  /// Waits for the final move.
  func finish(at destination: String, replacing: Bool) async throws -> FinishedFile {
    try await withCheckedContinuation { continuation in
      finish(at: destination, replacing: replacing, on: .global()) { continuation.resume(returning: $0) }
    }.get()
  }

  /// Waits for a checkpoint.
  func checkpoint(_ record: ResumeData, closed: Bool) async throws -> Int64 {
    try await withCheckedContinuation { continuation in
      checkpoint(record, closed: closed, on: .global()) { continuation.resume(returning: $0) }
    }.get()
  }
}

/// Runs `body` and returns the storage error it throws.
func storageError(_ body: () throws -> Void) -> StorageError? {
  do {
    try body()
    return nil
  } catch {
    return error as? StorageError
  }
}
