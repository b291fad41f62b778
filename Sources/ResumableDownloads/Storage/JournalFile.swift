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
  /// Where a journal is written before it is renamed: by the loop, and by a checkpoint.
  private var temporaryNames: (loop: String, checkpoint: String) { (name + ".new", name + ".sync") }
  private var file: WholeFile { WholeFile(name: name, directory: directory, path: directoryPath) }
  private var path: String { file.path }

  /// Writes the journal under a temporary name and renames it, without waiting for the disk.
  ///
  /// After a power cut such a journal may have a name and no content. The last one that was synced stays beside it
  /// until the next checkpoint, so that what that one says is not lost; where links are not supported, it may be.
  func write(_ record: ResumeData) throws(StorageError) {
    try state.withLock { (state) throws(StorageError) in
      state.generation += 1
      let temporary = temporaryNames.loop
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
      let temporary = temporaryNames.checkpoint
      let written = try file.put(record.encoded, as: temporary)
      // The name of the partial file comes first: it may have been given to a new file just now, and no journal may
      // speak of that one while the disk still has the old one.
      guard written.sync(), directory.sync() else {
        let error = StorageError.last(.write, path)
        _ = unlinkat(directory.number, temporary, 0)
        throw error
      }
      let isRenamed = try state.withLock { (state) throws(StorageError) in
        try renameIfNewest(temporary, generation, partial, &state)
      }
      guard isRenamed else {
        _ = unlinkat(directory.number, temporary, 0)
        return false
      }
      guard directory.sync() else { throw .last(.write, directoryPath) }
      try removePrevious(generation, forGood: lowers)
      return true
    }
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
      for leftover in [temporaryNames.loop, temporaryNames.checkpoint, Self.previous(name)] {
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
