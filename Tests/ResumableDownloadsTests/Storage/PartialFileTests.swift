internal import Foundation
internal import Glibc
internal import Testing

@testable internal import ResumableDownloads

@Suite(.timeLimit(.minutes(1)))
struct PartialFileTests {
  let fixture: StorageFixture

  init() throws {
    fixture = try StorageFixture()
  }

  @Test("Appending, cutting and reserving change the length as they should, and nothing else")
  func appendingCuttingAndReserving() throws {
    let file = try fixture.directory.create(stem: "a")
    try file.append("hello world")
    try file.reserve(upTo: 1 << 16)
    #expect(file.length == 11)
    #expect(FileStatus.of(file.path)?.size == 11)
    try file.cut(to: 5)
    try file.append("!")
    #expect(fixture.text("partials/a.partial") == "hello!")
    #expect(storageError { try file.cut(to: 7) }?.operation == .write)
    // The second in memory, where nothing but the free space is looked at.
    #expect([EFBIG, ENOSPC].contains(storageError { try file.reserve(upTo: .max) }?.code))
    #expect(FileStatus.of(file.path).map { $0.mode & 0o777 } == 0o600)
  }

  @Test("A released file takes no more bytes, a discarded one goes with its journal")
  func discardingAndReleasing() throws {
    let file = try fixture.partial("a", "abc", fixture.record("a"))
    #expect(file.hasJournal)
    file.release()
    #expect(storageError { try file.append("d") }?.code == EBADF)
    try fixture.directory.openUnclaimed(stem: "a")?.file.discard()
    #expect(!fixture.exists("partials/a.partial"))
    #expect(!fixture.exists("partials/a.resume"))
  }

  /// A process that ended while it wrote a journal used to leave its temporary file beside the destination.
  @Test("Half-written journals go with the journal", arguments: [".resume.new", ".resume.sync"])
  func halfWrittenJournalsGoWithTheJournal(_ ending: String) throws {
    let file = try fixture.partial("a", "abc", fixture.record("a"))
    try Data("{".utf8).write(to: URL(fileURLWithPath: fixture.root + "/partials/a" + ending))
    file.discard()
    #expect(!fixture.exists("partials/a" + ending))
  }

  @Test("A checkpoint records the synced length")
  func aCheckpointRecordsTheSyncedLength() async throws {
    let record = fixture.record("a")
    let file = try fixture.partial("a", "abc", record)
    #expect(try await file.checkpoint(record, closed: true) == 3)
    let found = try #require(try fixture.directory.records().first)
    #expect(found.byteOffset == 3 && found.syncedByteOffset == 3 && found.isClosed)
    #expect(!fixture.exists("partials/a.resume.sync"))
  }

  @Test("A newer journal voids a checkpoint")
  func aNewerJournalVoidsACheckpoint() async throws {
    let record = fixture.record("a")
    let file = try fixture.partial("a", "abc", record)
    let queue = DispatchQueue(label: "checkpoint")
    queue.suspend()
    let late = await withCheckedContinuation { continuation in
      file.checkpoint(record, closed: true, on: queue) { continuation.resume(returning: $0) }
      do {
        try file.writeJournal(fixture.record("a", offset: 99))
      } catch {
        Issue.record(error)
      }
      queue.resume()
    }
    #expect(late == .success(3))
    #expect(try fixture.directory.records().first?.byteOffset == 99)
    #expect(!fixture.exists("partials/a.resume.sync"))
  }

  @Test("A checkpoint after the release yields to the next user", arguments: [false, true])
  func aCheckpointAfterReleaseYieldsToTheNextUser(isReopened: Bool) async throws {
    let record = fixture.record("a")
    let file = try fixture.partial("a", "abc", record)
    let queue = DispatchQueue(label: "checkpoint")
    queue.suspend()
    var next: PartialFile?
    _ = await withCheckedContinuation { continuation in
      file.checkpoint(record, closed: true, on: queue) { continuation.resume(returning: $0) }
      file.release()
      if isReopened { next = try? fixture.directory.open(for: record)?.file }
      queue.resume()
    }
    #expect((next != nil) == isReopened)
    #expect(try fixture.directory.records().first?.isClosed == !isReopened)
  }

  @Test("A replacement takes the old name")
  func aReplacementTakesTheOldName() throws {
    let old = try fixture.partial("old", "outdated", fixture.record("old"))
    let new = try fixture.directory.create(stem: "new")
    try new.append("fresh")
    let work = try new.takingOver(old, record: nil)
    #expect(!new.tookOver(old, isRecorded: false) && new.stem == "new")
    try work()
    #expect(new.tookOver(old, isRecorded: false) && new.stem == "old")
    #expect(try fixture.directory.records().isEmpty)
    #expect(fixture.text("partials/old.partial") == "fresh")
    #expect(!new.hasJournal && !fixture.exists("partials/new.partial"))
    try new.append("er")
    let record = fixture.record("old")
    try new.writeJournal(record)
    #expect(storageError { _ = try fixture.directory.open(for: record) }?.operation == .inUse)
    new.release()
    #expect(try fixture.directory.open(for: record)?.file.length == 7)
  }

  @Test("A replacement has its journal at once")
  func aReplacementHasItsJournalAtOnce() throws {
    let old = try fixture.partial("old", "outdated", fixture.record("old", offset: 8, synced: 8))
    let new = try fixture.directory.create(stem: "new")
    try new.append("fresh")
    try new.takingOver(old, record: fixture.record("old", offset: 5, synced: 5))()
    #expect(new.tookOver(old, isRecorded: true) && new.hasJournal)
    #expect(try fixture.directory.records().map(\.syncedByteOffset) == [5])
  }

  @Test("After lowering no journal claims more")
  func noJournalClaimsMoreAfterLowering() throws {
    let file = try fixture.partial("a", "abcdef", fixture.record("a", offset: 6, synced: 6))
    try file.writeJournal(fixture.record("a", offset: 6, synced: 6))
    #expect(fixture.exists("partials/a.resume.old"))
    try file.lowering(to: fixture.record("a", offset: 2, synced: 2))()
    #expect(try fixture.directory.records().map(\.syncedByteOffset) == [2])
    #expect(!fixture.exists("partials/a.resume.old"))
    let late = try file.lowering(to: fixture.record("a", offset: 1, synced: 1))
    try file.writeJournal(fixture.record("a", offset: 3))
    #expect(storageError { try late() }?.code == ECANCELED)
  }

  /// A partial file that somebody has cut used to be opened with a wait for the disk.
  @Test("A cut file is opened, and left as it is until it is lowered")
  func aCutFileIsOpenedAndLeftAsItIs() throws {
    let record = fixture.record("a", offset: 6, synced: 6)
    let file = try fixture.partial("a", "abcdef", record)
    try file.cut(to: 3)
    file.release()
    let opened = try #require(try fixture.directory.open(for: record))
    #expect(opened.file.journalClaimsMore && opened.record.syncedByteOffset == 3 && opened.file.length == 3)
    #expect(try fixture.directory.records().map(\.syncedByteOffset) == [6])
    try opened.file.lowering(to: opened.record)()
    opened.file.lowered()
    #expect(!opened.file.journalClaimsMore)
    #expect(try fixture.directory.records().map(\.syncedByteOffset) == [3])
  }
}
