internal import Foundation
internal import Glibc
internal import Testing

@testable internal import ResumableDownloads

@Suite(.timeLimit(.minutes(1)))
struct JournalFileTests {
  let fixture: StorageFixture

  init() throws {
    fixture = try StorageFixture()
  }

  private func writeJournal(_ bytes: Data, _ suffix: String = "") throws {
    try bytes.write(to: URL(fileURLWithPath: fixture.directory.path + "/a.resume" + suffix))
  }

  /// How many bytes of a journal are there, and how many zeros follow.
  @Test(
    "A torn journal is one of ours, and goes", arguments: [(0, 0), (0, 900), (1, 0), (18, 0), (200, 0), (200, 300)])
  func aTornJournalIsOneOfOursAndGoes(written: Int, zeros: Int) throws {
    let record = fixture.record("a", offset: 3, synced: 3)
    try fixture.partial("a", "abc", record).release()
    try writeJournal(record.encoded.prefix(written) + Data(count: zeros))
    #expect(try fixture.directory.openUnclaimed(stem: "a") == nil)
    #expect(!fixture.exists("partials/a.partial") && !fixture.exists("partials/a.resume"))
    try writeJournal(record.encoded.prefix(written) + Data(count: zeros))
    try fixture.directory.create(stem: "a").discard()
    #expect(!fixture.exists("partials/a.resume"))
  }

  @Test("What is no torn journal stays, and so does its partial file")
  func whatIsNoTornJournalStays() throws {
    let record = fixture.record("a", offset: 3)
    let later = String(decoding: record.encoded, as: UTF8.self)
      .replacing("\"version\":1", with: "\"version\":2")
    for text in ["a note", "{\"a\":1}", "\u{0}binary", later] {
      try fixture.partial("a", "abc", record).release()
      try writeJournal(Data(text.utf8))
      #expect(storageError { _ = try fixture.directory.openUnclaimed(stem: "a") }?.operation == .notOurs, "\(text)")
      #expect(fixture.text("partials/a.partial") == "abc" && fixture.text("partials/a.resume") == text)
      for name in ["a.partial", "a.resume"] { #expect(unlink(fixture.directory.path + "/" + name) == 0) }
    }
  }

  @Test("The synced journal stays until a later one is synced")
  func theSyncedJournalStaysUntilALaterOneIsSynced() async throws {
    let record = fixture.record("a")
    let file = try fixture.partial("a", "abc", record)
    #expect(try await file.checkpoint(record, closed: false) == 3)
    try file.append("def")
    try file.writeJournal(record.updating(written: 6, synced: 3, isClosed: true))
    #expect(fixture.exists("partials/a.resume.old"))
    #expect(try fixture.directory.records().map(\.byteOffset) == [6])
    // As a power cut may leave it.
    try writeJournal(Data(count: 700))
    #expect(try fixture.directory.records().map(\.byteOffset) == [3])
    #expect(try await file.checkpoint(record, closed: false) == 6)
    #expect(!fixture.exists("partials/a.resume.old"))
    #expect(try fixture.directory.records().map(\.byteOffset) == [6])
  }

  /// As the last checkpoint of a paused task, of this process or another one, that still waits for the disk.
  @Test("A checkpoint leaves that of another task alone")
  func aCheckpointLeavesThatOfAnotherTaskAlone() async throws {
    let record = fixture.record("a")
    let file = try fixture.partial("a", "abc", record)
    let path = fixture.directory.path + "/a.resume.sync"
    try writeJournal(Data("of another".utf8), ".sync")
    let other = try #require(FileDescriptor.open(path, flags: O_RDWR))
    #expect(other.lock())
    #expect(try await file.checkpoint(record, closed: false) == 3)
    #expect(try fixture.directory.records().map(\.syncedByteOffset) == [3])
    #expect(fixture.text("partials/a.resume.sync") == "of another")
    // What nobody writes any more makes way.
    other.unlock()
    try file.append("def")
    #expect(try await file.checkpoint(record, closed: false) == 6)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path).sorted() == [
        "a.partial", "a.resume",
      ])
  }

  @Test("Nothing is left of a discarded journal, whatever its state")
  func nothingIsLeftOfAJournal() throws {
    let file = try fixture.partial("a", "abc", fixture.record("a"))
    for suffix in [".new", ".sync", ".sync4", ".old"] { try writeJournal(Data("x".utf8), suffix) }
    file.discard()
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path).isEmpty)
  }

  @Test("A journal under another name opens nothing")
  func aJournalUnderAnotherNameOpensNothing() throws {
    let record = fixture.record("a", offset: 3)
    try fixture.partial("a", "abc", record).release()
    try Data("mine".utf8).write(to: URL(fileURLWithPath: fixture.directory.path + "/b.partial"))
    #expect(link(fixture.directory.path + "/a.resume", fixture.directory.path + "/b.resume") == 0)
    var forged = record
    try forged.recordPartial(path: fixture.directory.path + "/b.partial")
    #expect(try fixture.directory.open(for: forged) == nil)
    #expect(fixture.text("partials/b.partial") == "mine")
  }
}
