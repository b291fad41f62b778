internal import Foundation
internal import Glibc

extension PartialDirectory {
  /// A locked partial file and what its journal says about it.
  typealias Opened = (file: PartialFile, record: ResumeData)

  /// Opens the partial file that `record` names, where it was or in this folder; nil when there is none to go on with.
  func open(for record: ResumeData) throws(StorageError) -> Opened? {
    let recorded = record.record.partialPath as NSString
    let folder = recorded.deletingLastPathComponent
    if recorded.isAbsolutePath, !record.record.partialPath.utf8.contains(0), folder != path {
      let directory = try Self.existing(folder)
      if let opened = try directory?.open(recorded.lastPathComponent, identity: record.identity) { return opened }
    } else if folder == path, let opened = try open(recorded.lastPathComponent, identity: record.identity) {
      return opened
    }
    return try open(record.record.partialName, identity: record.identity)
  }

  /// A folder of the user; nil when there is none, which is not the same as one that cannot be opened now.
  private static func existing(_ path: String) throws(StorageError) -> PartialDirectory? {
    do throws(StorageError) {
      return try PartialDirectory(sharedPath: path)
    } catch {
      if [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG].contains(error.code) { return nil }
      throw error
    }
  }

  /// Opens a partial file by its stem, whatever download it is of; one without a journal is removed.
  func openUnclaimed(stem: String) throws(StorageError) -> Opened? {
    let name = stem + ".partial"
    guard let file = try lockedFile(name) else { return nil }
    let found = JournalFile.read(stem + ".resume", in: descriptor)
    if case .unreadable = found { throw .notOurs(path + "/" + stem + ".resume") }
    if case .record(let record) = found, let opened = try trusted(file, stem, record) { return opened }
    PartialFile(stem: stem, length: 0, descriptor: file, directory: self, hasJournal: true).discard()
    return nil
  }

  private func open(_ name: String, identity: UUID) throws(StorageError) -> Opened? {
    guard let file = try lockedFile(name) else { return nil }
    let stem = String(name.dropLast(".partial".count))
    // The name has to fit, too: a second name for a journal makes no partial of the file beside it.
    guard case .record(let record) = JournalFile.read(stem + ".resume", in: descriptor), record.identity == identity,
      record.record.partialName == name
    else { return nil }
    return try trusted(file, stem, record)
  }

  /// Opens and locks a file that is ours alone; nil when the name does not exist.
  private func lockedFile(_ name: String) throws(StorageError) -> FileDescriptor? {
    guard Self.isPlain(name) else { return nil }
    let path = self.path + "/" + name
    guard let before = FileStatus.of(name, in: descriptor.number) else {
      if errno == ENOENT { return nil }
      throw .last(.open, path)
    }
    guard before.isOurSingleFile else { throw .notOurs(path) }
    guard let file = FileDescriptor.open(name, in: descriptor.number, flags: PartialFile.openFlags | O_NONBLOCK) else {
      if errno == ENOENT { return nil }
      throw .last(errno == ELOOP ? .notOurs : .open, path)
    }
    guard file.status?.isOurSingleFile == true else { throw .notOurs(path) }
    guard file.lock() else { throw .last(errno == EWOULDBLOCK ? .inUse : .open, path) }
    guard let status = file.status, status.isOurSingleFile,
      status.isSameFile(as: FileStatus.of(name, in: descriptor.number))
    else { throw StorageError(operation: .inUse, code: ESTALE, path: path) }
    return file
  }

  /// Cuts the file to what can be relied on; nil when that is nothing.
  private func trusted(_ file: FileDescriptor, _ stem: String, _ record: ResumeData) throws(StorageError) -> Opened? {
    guard let size = file.status?.size else { return nil }
    let length = record.trustedLength(partialLength: size, bootIdentifier: BootIdentifier.current)
    guard length >= 1 else { return nil }
    // If somebody has cut the file, what comes in place of the lost bytes is not synced, whatever the journal says.
    let partial = PartialFile(
      stem: stem, length: size, descriptor: file, directory: self, hasJournal: true,
      journalClaimsMore: size < record.syncedByteOffset)
    if length < size { try partial.cut(to: length) }
    var record = record
    record.recordProgress(
      written: length, synced: record.syncedByteOffset, at: record.modificationDate, bootIdentifier: nil)
    return (partial, record)
  }
}
