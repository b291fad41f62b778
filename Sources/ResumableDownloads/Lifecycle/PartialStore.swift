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
  private static let checkpointBytes: Int64 = 64 << 20
  private static let checkpointNanoseconds: UInt64 = 5_000_000_000
  /// Smaller remainders are not worth reserving space for.
  private static let reservationBytes: Int64 = 1 << 20

  let environment: DownloadEnvironment
  var file: PartialFile?
  /// Makes `record`, until somebody looks: small files are complete before.
  private var makeRecord: (() -> ResumeData?)?
  private var madeRecord: ResumeData?
  /// What was there before a restart, kept until the new partial stands.
  var old: (file: PartialFile, record: ResumeData)?
  /// What waits until the disk has done what cannot be left half done; `nil` when it does nothing of that kind.
  private var waiting: [() -> Void]?
  private var lastCheckpoint: (length: Int64, time: UInt64) = (0, 0)
  private var checkpointsRunning = 0
  /// Raised when bytes that a checkpoint under way may sync are given up: its result says nothing about others.
  private var contentGeneration: UInt64 = 0
  /// Why a checkpoint could not sync what was written.
  private var syncError: StorageError?

  init(environment: DownloadEnvironment) {
    self.environment = environment
  }

  var length: Int64 { file?.length ?? 0 }

  /// The record of `file`; `nil` when its download cannot be continued.
  var record: ResumeData? {
    get {
      if let makeRecord { (madeRecord, self.makeRecord) = (makeRecord(), nil) }
      return madeRecord
    }
    set { (madeRecord, makeRecord) = (newValue, nil) }
  }

  /// Where a new request has to continue.
  var point: ResumePoint? {
    guard length > 0, let record else { return nil }
    var point = record.resumePoint
    point.offset = length
    return point
  }

  func adopt(_ found: (file: PartialFile, record: ResumeData)) {
    file = found.file
    record = found.record
    lastCheckpoint.length = found.file.length
  }

  /// Removes a partial that is not worth keeping, before another one gets its name.
  ///
  /// - Returns: Whether there is one that is.
  func makeWay() -> Bool {
    if let file, old != nil || record == nil || file.length == 0 {
      file.discard()
      self.file = nil
    }
    return file != nil || old != nil
  }

  /// A new partial for a whole body; the present one waits until the new one stands.
  ///
  /// - Parameter record: Makes the record of the new one, on the loop.
  /// - Returns: What has to be done before the first byte.
  func begin(_ fresh: PartialFile, record: @escaping () -> ResumeData?) -> DiskStep? {
    if let file, let held = self.record { old = (file, held) }
    file = fresh
    makeRecord = record
    lastCheckpoint = (0, 0)
    contentGeneration += 1
    let directory = fresh.directory
    return fresh.isNameNew ? nil : DiskStep(work: { () throws(StorageError) in try directory.syncNames() })
  }

  private func relocate(to path: String) {
    // A path that cannot be recorded makes the download one that cannot be continued.
    do { try record?.recordPartial(path: path) } catch { record = nil }
  }

  /// What has to be done before bytes after `offset` change: no journal may speak of them as synced any more.
  func lowering(to offset: Int64) throws(StorageError) -> DiskStep? {
    guard let file, let record, file.hasJournal else { return nil }
    let givesUpSynced = offset < file.length && (checkpointsRunning > 0 || offset < record.syncedByteOffset)
    guard givesUpSynced || file.journalClaimsMore else { return nil }
    let synced = min(offset, record.syncedByteOffset)
    let lowered = record.updating(written: offset, synced: synced, isClosed: false)
    self.record = lowered
    contentGeneration += 1
    return DiskStep(work: try file.lowering(to: lowered)) { error in
      if error == nil { file.lowered() }
    }
  }

  func cut(to offset: Int64) throws(StorageError) {
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
  ///
  /// - Returns: What has to be done before the next byte.
  func keepJournal(time: UInt64, began: UInt64) throws(StorageError) -> DiskStep? {
    if let syncError { throw syncError }
    guard waiting == nil, let file, file.length > 0 else { return nil }
    if !file.hasJournal || old != nil {
      let isDue = file.length >= Self.firstJournalBytes || time &- began >= Self.firstJournalNanoseconds
      return isDue && record != nil ? try writeFirstJournal(time: time) : nil
    } else if checkpointsRunning == 0, file.length > lastCheckpoint.length,
      file.length - lastCheckpoint.length >= Self.checkpointBytes
        || time &- lastCheckpoint.time >= Self.checkpointNanoseconds
    {
      checkpoint(time: time)
    }
    return nil
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
  ///
  /// - Returns: What has to be done before the next byte.
  func flush(time: UInt64) throws(StorageError) -> DiskStep? {
    guard waiting == nil, let file, record != nil, file.length > 0 else { return nil }
    if !file.hasJournal || old != nil, let step = try writeFirstJournal(time: time) { return step }
    checkpoint(time: time)
    return nil
  }

  private func writeFirstJournal(time: UInt64) throws(StorageError) -> DiskStep? {
    lastCheckpoint = (0, time)
    if let old {
      relocate(to: old.file.path)
      return try replacing(with: record?.updating(written: length, synced: length, isClosed: false))
    }
    if let file, let open = snapshot(closed: false) { try file.writeJournal(open) }
    return nil
  }

  /// What puts the new partial in the old one's place, with a journal if there is a record; `nil` if there is no old
  /// one.
  private func replacing(with record: ResumeData?) throws(StorageError) -> DiskStep? {
    guard let file, let old else { return nil }
    return DiskStep(work: try file.takingOver(old.file, record: record)) { [self] error in
      let isRecorded = error == nil && record != nil
      guard file.tookOver(old.file, isRecorded: isRecorded) else { return }
      self.old = nil
      if isRecorded { self.record = record }
    }
  }

  /// Lets the disk do a step; ends wait for it. The completion comes on the loop.
  func perform(_ step: DiskStep, completion: @escaping (StorageError?) -> Void) {
    waiting = []
    let end = LoopReference { [self] (error: StorageError?) in
      step.took(error)
      let ends = waiting ?? []
      waiting = nil
      completion(error)
      for end in ends { end() }
    }
    let (work, perform) = (step.work, environment.perform)
    environment.orderQueue.async {
      let error = DiskStep.failure(of: work)
      perform { _ in end.value(error) }
    }
  }

  /// Runs an action as soon as no step is under way.
  func afterStep(_ action: @escaping () -> Void) {
    if waiting == nil { action() } else { waiting?.append(action) }
  }

  private func checkpoint(time: UInt64) {
    guard let file, let open = snapshot(closed: false) else { return }
    lastCheckpoint = (file.length, time)
    checkpointsRunning += 1
    // The store is confined to the loop; the result comes back there, and a failed sync shows in the next write.
    let (back, generation) = (LoopReference(self), contentGeneration)
    let perform = environment.perform
    file.checkpoint(open, closed: false, on: environment.syncQueue) { result in
      perform { _ in back.value.checkpointEnded(result, generation) }
    }
  }

  private func checkpointEnded(_ result: Result<Int64, StorageError>, _ generation: UInt64) {
    checkpointsRunning -= 1
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

  func snapshot(closed: Bool) -> ResumeData? {
    guard let record, let file else { return nil }
    return record.updating(
      written: file.length, synced: min(record.syncedByteOffset, file.length), isClosed: closed)
  }

  /// Removes everything.
  func discard() {
    file?.discard()
    old?.file.discard()
    file = nil
    old = nil
  }

  /// The whole file is there: what lets the one before it go, if there is one.
  func settling() throws(StorageError) -> DiskStep? { try replacing(with: nil) }

  /// Another owner has the finished file.
  func forget() { file = nil }
}
