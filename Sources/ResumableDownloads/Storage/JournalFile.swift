internal import Foundation
internal import Glibc
internal import Synchronization

/// The journal beside a partial file: written from the loop thread, and from a queue when a checkpoint is due.
final class JournalFile: Sendable {
  /// What decides whether a checkpoint may still put its journal in place.
  private struct State {
    var generation: UInt64 = 0
    var isReleased = false
    var newest: FileStatus?
  }

  static let sizeLimit = 256 * 1024

  let directory: FileDescriptor
  let directoryPath: String
  let stem: String
  private let state = Mutex(State())
  private let turn = Mutex(())

  init(stem: String, directory: FileDescriptor, path: String) {
    self.stem = stem
    self.directory = directory
    directoryPath = path
  }

  var name: String { stem + ".resume" }
  /// Where a journal is written before it is renamed; a checkpoint needs a name of its own, since it runs beside.
  private var temporaryName: String { name + ".new" }
  private var checkpointName: String { name + ".sync" }
  private var path: String { directoryPath + "/" + name }

  /// Writes the journal under a temporary name and renames it, without waiting for the disk.
  func write(_ record: ResumeData) throws(StorageError) {
    try state.withLock { (state) throws(StorageError) in
      state.generation += 1
      _ = try put(record.encoded, as: temporaryName)
      try rename(temporaryName, &state)
    }
  }

  /// Begins a checkpoint: it is void as soon as something newer begins.
  func begin() -> UInt64 {
    state.withLock { state in
      state.generation += 1
      return state.generation
    }
  }

  /// Syncs a journal and puts it in place unless something newer has begun or another task has the partial file.
  func commit(_ record: ResumeData, generation: UInt64, partial: FileDescriptor) throws(StorageError) {
    try turn.withLock { (_) throws(StorageError) in
      guard state.withLock({ $0.generation == generation }) else { return }
      let temporary = checkpointName
      let file = try put(record.encoded, as: temporary)
      guard file.sync() else { throw .last(.write, path) }
      let isRenamed = try state.withLock { (state) throws(StorageError) in
        try renameIfNewest(temporary, generation, partial, &state)
      }
      guard isRenamed else {
        _ = unlinkat(directory.number, temporary, 0)
        return
      }
      guard directory.sync() else { throw .last(.write, directoryPath) }
    }
  }

  /// Removes the journal, with what a process that was killed has left of others, and makes every checkpoint under way
  /// void.
  func remove() throws(StorageError) {
    try state.withLock { (state) throws(StorageError) in
      state.generation += 1
      state.newest = nil
      for temporary in [temporaryName, checkpointName] { _ = unlinkat(directory.number, temporary, 0) }
      guard unlinkat(directory.number, name, 0) == 0 || errno == ENOENT else { throw .last(.remove, path) }
    }
  }

  /// From now on somebody else may use the partial file; a checkpoint under way has to look first.
  func release() {
    state.withLock { state in
      state.isReleased = true
      state.newest = FileStatus.of(name, in: directory.number)
    }
  }

  private func renameIfNewest(
    _ temporary: String, _ generation: UInt64, _ partial: FileDescriptor, _ state: inout State
  ) throws(StorageError) -> Bool {
    guard state.generation == generation else { return false }
    guard state.isReleased else {
      try rename(temporary, &state)
      return true
    }
    guard partial.lockShared() else { return false }
    defer { partial.unlock() }
    guard let newest = state.newest, FileStatus.of(name, in: directory.number) == newest else { return false }
    guard partial.status?.isSameFile(as: FileStatus.of(stem + ".partial", in: directory.number)) == true else {
      return false
    }
    try rename(temporary, &state)
    return true
  }

  private func rename(_ temporary: String, _ state: inout State) throws(StorageError) {
    guard renameat(directory.number, temporary, directory.number, name) == 0 else { throw .last(.write, path) }
    if state.isReleased { state.newest = FileStatus.of(name, in: directory.number) }
  }

  private func put(_ bytes: Data, as temporary: String) throws(StorageError) -> FileDescriptor {
    _ = unlinkat(directory.number, temporary, 0)
    let flags = O_WRONLY | O_CREAT | O_EXCL
    guard let file = FileDescriptor.open(temporary, in: directory.number, flags: flags, mode: 0o600),
      bytes.withUnsafeBytes({ file.write($0, at: 0) == $0.count })
    else {
      let error = StorageError.last(.write, directoryPath + "/" + temporary)
      _ = unlinkat(directory.number, temporary, 0)
      throw error
    }
    return file
  }
}

extension JournalFile {
  /// What lies under a journal's name.
  enum Found {
    case nothing
    case record(ResumeData)
    /// Something of ours that a crash left without content.
    case empty
    case unreadable
  }

  /// Reads a journal without ever trusting its size, kind or contents.
  static func read(_ name: String, in directory: FileDescriptor) -> Found {
    guard let before = FileStatus.of(name, in: directory.number) else { return .nothing }
    guard before.isOurFile,
      let file = FileDescriptor.open(name, in: directory.number, flags: O_RDONLY | O_NONBLOCK),
      let status = file.status, status.isOurFile, status.size <= sizeLimit,
      let bytes = file.contents(limit: sizeLimit)
    else { return .unreadable }
    if bytes.allSatisfy({ $0 == 0 }) { return .empty }
    do {
      return .record(try ResumeData(bytes))
    } catch {
      return .unreadable
    }
  }
}
