import Foundation
import TestSupport
import Testing

@testable import ResumableDownloads

/// A partial file and its journal, changed by hand between two tasks.
struct EditedPartial {
  let partial: String
  let journal: String

  /// The files that the resume data names.
  init(_ blob: Data) throws {
    partial = try ResumeData(blob).partialURL.path
    journal = partial.dropLast("partial".count) + "resume"
  }

  /// Returns when the sync that follows an end has put its own journal in place, and nothing changes any more.
  func settle() async throws {
    let place = (journal as NSString).deletingLastPathComponent
    try await FolderWatch.wait(in: place, for: "a synced journal") {
      (try? ResumeData(blob())).map { $0.syncedByteOffset == $0.byteOffset } ?? false
    }
  }

  /// Replaces the bytes of the partial file, which stays the same file.
  func write(_ bytes: Data) throws {
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: partial))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: bytes)
    try handle.close()
  }

  /// Makes the partial file longer, with a hole, or shorter.
  func resize(to size: Int64) throws {
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: partial))
    try handle.truncate(atOffset: UInt64(size))
    try handle.close()
  }

  /// Changes fields of the journal.
  func change(_ edit: (inout [String: Any]) -> Void) throws {
    try edited(try blob(), edit).write(to: URL(fileURLWithPath: journal))
  }

  /// What the journal says, which is resume data too.
  func blob() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: journal)) }
}

/// The same resume data with other fields, which may make it invalid.
func edited(_ blob: Data, _ edit: (inout [String: Any]) -> Void) throws -> Data {
  var fields = try #require(try JSONSerialization.jsonObject(with: blob) as? [String: Any])
  edit(&fields)
  return try JSONSerialization.data(withJSONObject: fields)
}
