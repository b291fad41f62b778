internal import Foundation
internal import Glibc

extension PartialDirectory {
  /// Every journal in this folder that can be read.
  func records() throws(StorageError) -> [ResumeData] {
    try names().filter { $0.hasSuffix(".resume") }.sorted().compactMap { name in
      guard case .record(let record) = JournalFile.read(name, in: descriptor) else { return nil }
      return record
    }
  }

  /// The records of partial files that no task holds, with as many bytes as can be relied on. Changes nothing.
  func abandoned() throws(StorageError) -> [ResumeData] {
    let stems = try stemsOfTasks() ?? []
    return try records().compactMap { record in
      let name = record.partialURL.lastPathComponent
      // A task that a session with an identifier will continue by itself is not abandoned.
      guard !stems.contains(String(name.dropLast(".partial".count))),
        let file = FileDescriptor.open(name, in: descriptor.number, flags: O_RDONLY | O_NONBLOCK),
        let status = file.status, status.isOurSingleFile, file.lockShared()
      else { return nil }
      defer { file.unlock() }
      let length = record.trustedLength(partialLength: status.size, bootIdentifier: BootIdentifier.current)
      guard length > 0 else { return nil }
      var found = record
      found.recordProgress(
        written: length, synced: record.syncedByteOffset, at: record.modificationDate, bootIdentifier: nil)
      return found
    }
  }

  /// Removes files that nobody has touched since `limit` or uses now; never anything in a folder of the user.
  func removeLeftovers(olderThan limit: Date) throws(StorageError) {
    guard isPrivate, let stems = try stemsOfTasks() else { return }
    let names = try names()
    for name in names where name.hasSuffix(".partial") {
      let stem = String(name.dropLast(".partial".count))
      if !stems.contains(stem) { removePartial(stem, olderThan: limit) }
    }
    for name in names {
      guard let suffix = Self.leftoverSuffixes.first(where: { name.hasSuffix($0) }), isOld(name, limit) else {
        continue
      }
      let partial = String(name.dropLast(suffix.count)) + ".partial"
      if stems.contains(String(name.dropLast(suffix.count))) { continue }
      if suffix != ".tmp", FileStatus.of(partial, in: descriptor.number) != nil { continue }
      _ = unlinkat(descriptor.number, name, 0)
    }
  }

  /// Removes what belongs to no task of the session whose folder this is, and unfinished journals of those that do.
  func removeOrphans(keeping stems: Set<String>, olderThan limit: Date) throws(StorageError) {
    for name in try names() {
      guard let suffix = Self.orphanSuffixes.first(where: { name.hasSuffix($0) }) else { continue }
      let stem = String(name.dropLast(suffix.count))
      let isNeeded = stems.contains(stem)
      let hasPartial = FileStatus.of(stem + ".partial", in: descriptor.number) != nil
      let isOrphan =
        switch suffix {
        case ".task.new": true
        case _ where Self.unfinishedSuffixes.contains(suffix): isNeeded || !hasPartial
        // A finished file that another session put here may still be its caller's.
        case ".tmp": !isNeeded && isOld(name, limit)
        default: !isNeeded && !hasPartial
        }
      if isOrphan {
        _ = unlinkat(descriptor.number, name, 0)
      } else if suffix == ".partial", !isNeeded {
        // Without a journal nobody can continue it.
        let hasJournal = FileStatus.of(stem + ".resume", in: descriptor.number) != nil
        removePartial(stem, olderThan: hasJournal ? limit : .distantFuture)
      }
    }
  }

  private static let orphanSuffixes = leftoverSuffixes + [".partial", ".task.new"]
  private static let leftoverSuffixes = unfinishedSuffixes + [".resume", ".resume.old", ".tmp"]
  private static let unfinishedSuffixes = [".resume.new"] + JournalFile.checkpointEndings.map { ".resume" + $0 }

  /// Removes a partial file and its journal when both are old and no task has the lock.
  private func removePartial(_ stem: String, olderThan limit: Date) {
    let (name, journal) = (stem + ".partial", stem + ".resume")
    guard isOld(name, limit), FileStatus.of(journal, in: descriptor.number) == nil || isOld(journal, limit),
      let file = FileDescriptor.open(name, in: descriptor.number, flags: O_RDWR | O_NONBLOCK),
      file.lock(attempts: 1), let status = file.status, status.modified < limit,
      status.isSameFile(as: FileStatus.of(name, in: descriptor.number))
    else { return }
    PartialFile(stem: stem, length: status.size, descriptor: file, directory: self, hasJournal: true).discard()
  }

  private func isOld(_ name: String, _ limit: Date) -> Bool {
    guard let status = FileStatus.of(name, in: descriptor.number) else { return false }
    return status.isOurFile && status.modified < limit
  }

  /// What lies in this folder. A folder that cannot be read is not an empty one.
  func names() throws(StorageError) -> [String] {
    guard let list = opendir(path) else { throw .last(.open, path) }
    defer { closedir(list) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(list) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { start in
        start.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw .last(.open, path) }
    return names
  }
}
