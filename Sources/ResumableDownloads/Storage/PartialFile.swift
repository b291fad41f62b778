internal import Foundation
internal import Glibc

/// What waits for the disk, on any thread.
typealias DiskWork = @Sendable () throws(StorageError) -> Void

/// The file a download is written to, locked while this object has it; to be used by one thread.
final class PartialFile {
  /// Appending, so that after a cut by somebody else the file stays too short instead of having a hole.
  static let openFlags = O_RDWR | O_APPEND

  private(set) var stem: String
  private(set) var length: Int64
  private(set) var journal: JournalFile
  private(set) var directory: PartialDirectory
  private(set) var descriptor: FileDescriptor?
  /// Whether there is a journal, by what this object knows: it is asked for with every piece of a body, the disk is
  /// not.
  private(set) var hasJournal: Bool
  /// Whether the journal says that more was synced than there is: it has to be lowered before anything is added, and
  /// no other may be written before.
  private(set) var journalClaimsMore: Bool
  /// Whether no other file ever had the name with which this one began.
  let isNameNew: Bool

  init(
    stem: String, length: Int64, descriptor: FileDescriptor, directory: PartialDirectory, hasJournal: Bool,
    journalClaimsMore: Bool = false, isNameNew: Bool = false
  ) {
    self.stem = stem
    self.length = length
    self.descriptor = descriptor
    self.directory = directory
    self.hasJournal = hasJournal
    self.journalClaimsMore = journalClaimsMore
    self.isNameNew = isNameNew
    journal = JournalFile(stem: stem, directory: directory.descriptor, path: directory.path)
  }

  var name: String { stem + ".partial" }
  var path: String { directory.path + "/" + name }
  /// Whether the name still leads to the open file, which somebody may have removed or replaced.
  private var isInPlace: Bool {
    descriptor?.status?.isSameFile(as: FileStatus.of(name, in: directory.descriptor.number)) == true
  }
  /// The open file if the name still leads to it and it is as long as what was written: nobody else has removed,
  /// replaced, cut or lengthened it.
  private var intactStatus: FileStatus? {
    guard let status = descriptor?.status, status.size == length,
      status.isSameFile(as: FileStatus.of(name, in: directory.descriptor.number))
    else { return nil }
    return status
  }
  var isIntact: Bool { intactStatus != nil }
  /// Whether only what was synced earlier can be relied on.
  var hasFailedSync: Bool { descriptor?.hasFailedSync == true }

  /// Adds bytes at the end; `length` counts what was written even when this throws.
  func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    let file = try opened(.write)
    let count = file.write(bytes, at: length)
    length += Int64(count)
    guard count == bytes.count else { throw .last(.write, path) }
  }

  /// Forgets everything from `offset` on.
  func cut(to offset: Int64) throws(StorageError) {
    let file = try opened(.write)
    guard offset >= 0, offset <= length else {
      throw StorageError(operation: .write, code: EINVAL, path: path)
    }
    guard file.truncate(to: offset) else { throw .last(.write, path) }
    length = offset
  }

  /// Makes sure of the space of a download whose size is known, so that a full disk shows at once.
  func reserve(upTo total: Int64) throws(StorageError) {
    let file = try opened(.write)
    guard total > length else { return }
    guard !file.reserve(from: length, count: total - length) else { return }
    switch errno {
    case ENOSPC, EDQUOT, EFBIG: throw .last(.write, path)
    default: return
    }
  }

  /// Writes the journal without waiting for the disk.
  func writeJournal(_ record: ResumeData) throws(StorageError) {
    _ = try opened(.write)
    try journal.write(record)
    hasJournal = true
  }

  /// What makes every journal on the disk claim no more than `record` does; to be done before bytes that were synced
  /// are cut off, since others may come in their place. It makes every checkpoint under way void.
  func lowering(to record: ResumeData) throws(StorageError) -> DiskWork {
    let file = try opened(.write)
    let (journal, path) = (journal, path)
    let generation = journal.begin()
    return { () throws(StorageError) in
      guard try journal.commit(record, generation: generation, partial: file, lowers: true) else {
        throw StorageError(operation: .write, code: ECANCELED, path: path)
      }
    }
  }

  /// To be called when the work of `lowering` is done.
  func lowered() { journalClaimsMore = false }

  /// Syncs the data written so far and then a journal that says so; the completion gets the synced length.
  func checkpoint(
    _ record: ResumeData, closed: Bool, on queue: DispatchQueue,
    completion: @escaping @Sendable (Result<Int64, StorageError>) -> Void
  ) {
    guard let file = descriptor else {
      let error = StorageError(operation: .write, code: EBADF, path: path)
      return queue.async { completion(.failure(error)) }
    }
    let (length, path, journal) = (length, path, journal)
    let generation = journal.begin()
    queue.async {
      guard file.syncData() else { return completion(.failure(.last(.write, path))) }
      let synced = record.updating(written: length, synced: length, isClosed: closed)
      do throws(StorageError) {
        try journal.commit(synced, generation: generation, partial: file)
        completion(.success(length))
      } catch {
        completion(.failure(error))
      }
    }
  }

  /// Gives the lock back and leaves the files for a later task.
  func release() {
    guard let file = descriptor else { return }
    journal.release()
    file.unlock()
    descriptor = nil
  }

  /// Removes the journal and then the partial file.
  func discard() {
    guard let file = descriptor else { return }
    // A journal that stays without its file counts for nothing, and goes before another one of that name begins.
    try? journal.remove()
    if isInPlace {
      _ = unlinkat(directory.descriptor.number, name, 0)
    }
    file.unlock()
    descriptor = nil
  }

  /// What puts this file, which has no journal, in an older one's place: first the older one's journal goes, then the
  /// file gets the name and, if there is a record, a journal. Nothing may be written meanwhile.
  func takingOver(_ old: PartialFile, record: ResumeData?) throws(StorageError) -> DiskWork {
    let file = try opened(.move)
    _ = try old.opened(.move)
    let (source, name, path) = (directory.descriptor, name, path)
    let (target, newName, folder, journal) = (old.directory.descriptor, old.name, old.directory.path, old.journal)
    return { () throws(StorageError) in
      try journal.remove()
      guard target.sync() else { throw .last(.move, folder) }
      guard renameat(source.number, name, target.number, newName) == 0 else { throw .last(.move, path) }
      guard let record else { return }
      guard file.syncData() else { throw .last(.write, path) }
      try journal.commit(record, generation: journal.begin(), partial: file)
    }
  }

  /// To be called when the work of `takingOver` has ended in any way.
  ///
  /// - Returns: Whether this file has the older one's name; if not, both are what they were.
  func tookOver(_ old: PartialFile, isRecorded: Bool) -> Bool {
    let target = old.directory.descriptor.number
    guard descriptor?.status?.isSameFile(as: FileStatus.of(old.name, in: target)) == true else { return false }
    old.descriptor?.unlock()
    old.descriptor = nil
    (stem, directory, journal, hasJournal) = (old.stem, old.directory, old.journal, isRecorded)
    return true
  }

  /// Turns the file into one that a delegate may move or read, with no wait for the disk.
  func finishTemporary() throws(StorageError) -> FinishedFile {
    let file = try opened(.move)
    let number = directory.descriptor.number
    guard !file.hasFailedSync else { throw StorageError(operation: .write, code: EIO, path: path) }
    guard let status = intactStatus else { throw StorageError(operation: .move, code: ESTALE, path: path) }
    guard renameat(number, name, number, stem + ".tmp") == 0 else { throw .last(.move, path) }
    _ = fchmod(file.number, SystemFacts.fileMode)
    // As in `discard()`.
    if hasJournal { try? journal.remove() }
    file.unlock()
    descriptor = nil
    return FinishedFile(path: directory.path + "/" + stem + ".tmp", status: status)
  }

  /// The descriptor, or an error when the file was given back before.
  private func opened(_ operation: StorageError.Operation) throws(StorageError) -> FileDescriptor {
    guard let descriptor else { throw StorageError(operation: operation, code: EBADF, path: path) }
    return descriptor
  }
}
