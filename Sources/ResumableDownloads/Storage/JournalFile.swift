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
  /// Where the loop writes a journal before it is renamed; only who has the partial file's lock does.
  private var temporaryName: String { name + ".new" }
  /// The endings of names under which a checkpoint writes one. The last checkpoint of a paused task may still wait for
  /// the disk while the next task, of whatever process, makes its own: each locks the one that it uses.
  static let checkpointEndings = [".sync", ".sync2", ".sync3", ".sync4"]
  private var file: WholeFile { WholeFile(name: name, directory: directory, path: directoryPath) }
  private var path: String { file.path }

  /// Writes the journal under a temporary name and renames it, without waiting for the disk.
  ///
  /// After a power cut such a journal may have a name and no content. The last one that was synced stays beside it
  /// until the next checkpoint, so that what that one says is not lost; where links are not supported, it may be.
  func write(_ record: ResumeData) throws(StorageError) {
    try state.withLock { (state) throws(StorageError) in
      state.generation += 1
      let temporary = temporaryName
      _ = try file.put(record.encoded, as: temporary)
      if record.syncedByteOffset > 0 {
        _ = linkat(directory.number, name, directory.number, Self.previous(name), 0)
      }
      try rename(temporary, &state)
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
  ///
  /// - Parameter lowers: Whether the journals before it claim more, so that none of them may come back.
  /// - Returns: Whether it is in place.
  @discardableResult
  func commit(
    _ record: ResumeData, generation: UInt64, partial: FileDescriptor, lowers: Bool = false
  ) throws(StorageError) -> Bool {
    try turn.withLock { (_) throws(StorageError) in
      guard state.withLock({ $0.generation == generation }) else { return false }
      let (temporary, written) = try putUnderUnusedName(record.encoded)
      // Its lock says that the name is in use, until it is no longer.
      defer { withExtendedLifetime(written) {} }
      // The name of the partial file comes first: it may have been given to a new file just now, and no journal may
      // speak of that one while the disk still has the old one.
      guard written.sync(), directory.sync() else {
        let error = StorageError.last(.write, path)
        remove(temporary, ifStill: written)
        throw error
      }
      let isRenamed = try state.withLock { (state) throws(StorageError) in
        try renameIfNewest(temporary, generation, partial, &state)
      }
      guard isRenamed else {
        remove(temporary, ifStill: written)
        return false
      }
      guard directory.sync() else { throw .last(.write, directoryPath) }
      try removePrevious(generation, forGood: lowers)
      return true
    }
  }

  /// Writes a journal under a name that no other checkpoint uses, and locks it until the descriptor is closed.
  private func putUnderUnusedName(_ bytes: Data) throws(StorageError) -> (name: String, file: FileDescriptor) {
    guard !bytes.isEmpty else { throw StorageError(operation: .write, code: EINVAL, path: path) }
    let flags = O_WRONLY | O_CREAT | O_EXCL
    for temporary in Self.checkpointEndings.map({ name + $0 }) {
      removeUnused(temporary)
      guard let file = FileDescriptor.open(temporary, in: directory.number, flags: flags, mode: 0o600) else {
        if errno == EEXIST { continue }
        throw .last(.write, path)
      }
      // Whoever has it already has taken it for a leftover.
      guard file.lock(attempts: 1) else { continue }
      guard bytes.withUnsafeBytes({ file.write($0, at: 0) == $0.count }) else {
        let error = StorageError.last(.write, directoryPath + "/" + temporary)
        _ = unlinkat(directory.number, temporary, 0)
        throw error
      }
      return (temporary, file)
    }
    throw StorageError(operation: .write, code: EBUSY, path: path)
  }

  /// Removes what a process that was killed has left under a name, but nothing that a checkpoint is writing.
  private func removeUnused(_ temporary: String) {
    guard FileStatus.of(temporary, in: directory.number)?.isOurFile == true else {
      _ = unlinkat(directory.number, temporary, 0)
      return
    }
    // Under the lock, so that it is not the file that somebody has just made.
    let file = FileDescriptor.open(temporary, in: directory.number, flags: O_RDWR | O_NONBLOCK)
    if let file, file.lock(attempts: 1) { remove(temporary, ifStill: file) }
  }

  /// Removes a name of that file: whoever removed the journal may have made way for another file with the name.
  private func remove(_ temporary: String, ifStill file: FileDescriptor) {
    guard file.status?.isSameFile(as: FileStatus.of(temporary, in: directory.number)) == true else { return }
    _ = unlinkat(directory.number, temporary, 0)
  }

  /// Removes the synced journal before the present one. One that claims less does no harm should it stay or come back:
  /// it is only looked at when the later one is torn.
  private func removePrevious(_ generation: UInt64, forGood: Bool) throws(StorageError) {
    let isGone = state.withLock { state in
      state.generation != generation || unlinkat(directory.number, Self.previous(name), 0) == 0 || errno == ENOENT
    }
    guard !forGood || isGone && directory.sync() else { throw .last(.write, directoryPath) }
  }

  /// Removes the journal, with what a process that was killed has left of others, and makes every checkpoint under way
  /// void.
  func remove() throws(StorageError) {
    try state.withLock { (state) throws(StorageError) in
      state.generation += 1
      state.newest = nil
      for leftover in [temporaryName, Self.previous(name)] + Self.checkpointEndings.map({ name + $0 }) {
        _ = unlinkat(directory.number, leftover, 0)
      }
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
    try file.rename(temporary)
    if state.isReleased { state.newest = FileStatus.of(name, in: directory.number) }
  }
}
