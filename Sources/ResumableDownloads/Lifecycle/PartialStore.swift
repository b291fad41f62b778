internal import Dispatch
internal import Foundation

/// The bytes of one download: the partial that is kept, the fresh one that may take its place, and their journal.
///
/// Confined to the loop's thread. "Stands" means: the fresh partial has a journal of its own, so it is worth keeping.
final class PartialStore {
  /// The journal first appears after this many bytes or `firstJournalNanoseconds`, so small files never pay for one.
  static let firstJournalBytes: Int64 = 1 << 20
  static let firstJournalNanoseconds: UInt64 = 1_000_000_000
  /// A synced checkpoint comes after this many bytes or nanoseconds, whichever is first.
  static let checkpointBytes: Int64 = 64 << 20
  static let checkpointNanoseconds: UInt64 = 5_000_000_000
  /// Smaller remainders are not worth reserving space for.
  static let reservationBytes: Int64 = 1 << 20
  /// What a full disk gives back for two journals, the second one being that of the sync that follows.
  static let spareBytes: Int64 = 64 << 10

  private let environment: DownloadEnvironment
  private(set) var file: PartialFile?
  /// The record of `file`; `nil` when its download cannot be continued.
  private(set) var record: ResumeData?
  /// What was there before a restart, kept until the new partial stands.
  private var old: (file: PartialFile, record: ResumeData)?
  private var lastCheckpoint: (length: Int64, time: UInt64) = (0, 0)
  private var checkpointIsRunning = false
  /// Raised when bytes that a checkpoint under way may sync are given up: its result says nothing about others.
  private var contentGeneration: UInt64 = 0
  /// Why a checkpoint could not sync what was written.
  private var syncError: StorageError?

  init(environment: DownloadEnvironment) {
    self.environment = environment
  }

  var length: Int64 { file?.length ?? 0 }

  /// Where a new request has to continue.
  var point: ResumePoint? {
    guard let record, length > 0 else { return nil }
    var point = record.resumePoint
    point.offset = length
    return point
  }

  func adopt(_ found: (file: PartialFile, record: ResumeData)) {
    file = found.file
    record = found.record
    lastCheckpoint.length = found.file.length
  }

  /// A new partial for a whole body; the present one waits until the new one stands.
  func begin(_ fresh: PartialFile, record: ResumeData?) {
    if let file, let held = self.record, old == nil { old = (file, held) } else { file?.discard() }
    file = fresh
    self.record = record
    lastCheckpoint = (0, 0)
    contentGeneration += 1
  }

  private func relocate(to path: String) {
    // A path that cannot be recorded makes the download one that cannot be continued.
    do { try record?.recordPartial(path: path) } catch { record = nil }
  }

  func cut(to offset: Int64) throws(StorageError) {
    if let file, let record, offset < file.length, checkpointIsRunning || offset < record.syncedByteOffset {
      let synced = min(offset, record.syncedByteOffset)
      let lowered = record.updating(written: offset, synced: synced, isClosed: false)
      if file.hasJournal { try file.lowerJournal(to: lowered) }
      self.record = lowered
      contentGeneration += 1
    }
    try file?.cut(to: offset)
    lastCheckpoint.length = min(lastCheckpoint.length, offset)
  }

  /// Reports a full disk before bandwidth is spent. Not while an old partial still holds space that will come free.
  func reserve(_ total: Int64?) throws(StorageError) {
    guard let total, let file, old == nil, total - file.length >= Self.reservationBytes else { return }
    try file.reserve(upTo: total)
  }

  func setTotal(_ total: Int64?) {
    guard let total, record?.expectedTotalBytes == nil else { return }
    record?.recordTotal(total)
  }

  /// Writes the first journal or a checkpoint when one is due; `time` is the loop's, `began` when the body did.
  func keepJournal(time: UInt64, began: UInt64) throws(StorageError) {
    if let syncError { throw syncError }
    guard let file, record != nil, file.length > 0 else { return }
    if !file.hasJournal || old != nil {
      let due = file.length >= Self.firstJournalBytes || time &- began >= Self.firstJournalNanoseconds
      if due { try writeFirstJournal(time: time) }
    } else if !checkpointIsRunning, file.length > lastCheckpoint.length,
      file.length - lastCheckpoint.length >= Self.checkpointBytes
        || time &- lastCheckpoint.time >= Self.checkpointNanoseconds
    {
      checkpoint(time: time)
    }
  }

  /// Says in the journal that a task writes again: were it still said to be closed or of an earlier run of the machine,
  /// what is written from now on would not count if the process is killed.
  func reopen() throws(StorageError) {
    guard let file, let record, file.hasJournal, old == nil else { return }
    guard record.isClosed || record.bootIdentifier != BootIdentifier.current else { return }
    let open = record.updating(written: file.length, synced: record.syncedByteOffset, isClosed: false)
    try file.writeJournal(open)
    self.record = open
  }

  /// Writes a journal now if there is none: the next byte may be long in coming.
  func save() throws(StorageError) {
    guard let file, record != nil, file.length > 0, !file.hasJournal, old == nil else { return }
    if let open = snapshot(closed: false) { try file.writeJournal(open) }
  }

  /// Syncs what there is now and its journal, so that it also survives a power cut. The sync queue does it.
  func flush(time: UInt64) throws(StorageError) {
    guard let file, record != nil, file.length > 0 else { return }
    if !file.hasJournal || old != nil { try writeFirstJournal(time: time) }
    checkpoint(time: time)
  }

  private func writeFirstJournal(time: UInt64) throws(StorageError) {
    guard let file else { return }
    if let old {
      self.old = nil
      try file.takeOver(old.file)
      relocate(to: file.path)
    }
    lastCheckpoint = (0, time)
    if let open = snapshot(closed: false) { try file.writeJournal(open) }
  }

  private func checkpoint(time: UInt64) {
    guard let file, let open = snapshot(closed: false) else { return }
    lastCheckpoint = (file.length, time)
    checkpointIsRunning = true
    // The store is confined to the loop; the result comes back there, and a failed sync shows in the next write.
    let (back, generation) = (LoopReference(self), contentGeneration)
    let perform = environment.perform
    file.checkpoint(open, closed: false, on: environment.syncQueue) { result in
      perform { _ in back.value.checkpointEnded(result, generation) }
    }
  }

  private func checkpointEnded(_ result: Result<Int64, StorageError>, _ generation: UInt64) {
    checkpointIsRunning = false
    guard generation == contentGeneration, let record else { return }
    switch result {
    case .success(let synced):
      guard synced <= length else { return }
      self.record = record.updating(written: length, synced: synced, isClosed: false)
    case .failure(let error):
      // A journal that could not be written leaves an older one; the next checkpoint tries again.
      if file?.hasFailedSync == true { syncError = error }
    }
  }

  private func snapshot(closed: Bool) -> ResumeData? {
    guard let record, let file else { return nil }
    return record.updating(
      written: file.length, synced: min(record.syncedByteOffset, file.length), isClosed: closed)
  }

  /// Ends the work and keeps what can be continued: the resume data, or `nil` when nothing can.
  ///
  /// The data is handed out without a sync; one follows in the background.
  func close() -> ResumeData? {
    if let old, file?.hasJournal != true {
      // The new partial never stood: the old one is as good as before.
      file?.discard()
      self.old = nil
      adopt(old)
    }
    defer { file = nil }
    if file?.hasFailedSync == true { dropUnsynced() }
    guard let file, let closed = writeLastJournal() else {
      // Without a journal the bytes cannot be trusted later, so no resume data may name them.
      let isUsable = record != nil && file.map { $0.length > 0 && $0.isInPlace && $0.hasJournal } == true
      if isUsable { file?.release() } else { file?.discard() }
      return nil
    }
    file.checkpoint(closed, closed: true, on: environment.syncQueue) { _ in }
    // Whoever is handed the data may use it at once; the checkpoint looks before it puts its journal in place.
    file.release()
    return closed
  }

  /// What the disk refused to take cannot be continued from.
  private func dropUnsynced() {
    guard let file, let record else { return }
    do { try file.cut(to: min(record.syncedByteOffset, file.length)) } catch { self.record = nil }
  }

  /// Writes the journal of what is kept; `nil` when there is nothing to keep or no way to.
  private func writeLastJournal() -> ResumeData? {
    guard let file, file.length > 0, file.isInPlace, let closed = snapshot(closed: true) else { return nil }
    do throws(StorageError) {
      try file.writeJournal(closed)
      return closed
    } catch {
      guard [ENOSPC, EDQUOT].contains(error.code), file.length > Self.spareBytes else { return nil }
    }
    // On a full disk the last bytes make room for the journal, without which all of them would be lost.
    do throws(StorageError) {
      try file.cut(to: file.length - Self.spareBytes)
      guard let shorter = snapshot(closed: true) else { return nil }
      try file.writeJournal(shorter)
      return shorter
    } catch {
      return nil
    }
  }

  /// Removes everything.
  func discard() {
    file?.discard()
    old?.file.discard()
    file = nil
    old = nil
  }

  /// The whole file is there: what was before it goes.
  func settle() throws(StorageError) -> PartialFile? {
    if let old, let file {
      self.old = nil
      try file.takeOver(old.file)
      relocate(to: file.path)
    }
    return file
  }

  /// Another owner has the finished file.
  func forget() { file = nil }
}

/// Carries a loop-confined object through a closure that other threads hold.
// Only read inside `TransferEngine.perform`, that is on the loop's thread, which is where the object lives.
final class LoopReference<Value: AnyObject>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
