internal import Foundation
internal import Glibc
internal import Synchronization

/// The folder of one identified session: the records of its tasks beside their partial files.
///
/// Locked from its opening to `close()` or the end of the process, whichever is first. Any thread may use it; a record
/// is written and synced before the call returns.
final class TaskFolder: Sendable {
  private struct State {
    var lock: FileDescriptor?
    /// The revision of each record as it is on disk, so that a slower thread cannot put an older one in place.
    var revisions: [Int: UInt64] = [:]
  }

  private static let lockName = ".lock"
  private static let suffix = ".task"
  /// The folders that sessions of this process hold, by device and inode.
  private static let held = Mutex<Set<[UInt64]>>([])

  let directory: PartialDirectory
  private let key: [UInt64]
  private let state: Mutex<State>

  /// Opens and locks a folder, and makes it if it is missing.
  ///
  /// The error is `.inUse` when it is locked: `EDEADLK` by this process, `EWOULDBLOCK` by another.
  init(path: String) throws(StorageError) {
    let directory = try PartialDirectory(privatePath: path)
    guard let status = directory.descriptor.status else { throw .last(.open, path) }
    let lockPath = path + "/" + Self.lockName
    let lock = FileDescriptor.open(
      Self.lockName, in: directory.descriptor.number, flags: O_RDWR | O_CREAT | O_NONBLOCK, mode: 0o600)
    guard let lock else { throw .last(.open, lockPath) }
    guard lock.status?.isOurFile == true else { throw .notOurs(lockPath) }
    let key = [status.device, status.inode]
    guard Self.held.withLock({ $0.insert(key).inserted }) else {
      throw StorageError(operation: .inUse, code: EDEADLK, path: path)
    }
    guard lock.lock() else {
      let error = StorageError.last(errno == EWOULDBLOCK ? .inUse : .open, path)
      _ = Self.held.withLock { $0.remove(key) }
      throw error
    }
    self.directory = directory
    self.key = key
    state = Mutex(State(lock: lock))
  }

  deinit { close() }

  /// Lets another session have the folder; nothing is written from here on.
  func close() {
    let lock = state.withLock { state in
      defer { state.lock = nil }
      return state.lock
    }
    guard let lock else { return }
    _ = Self.held.withLock { $0.remove(key) }
    lock.unlock()
  }

  /// Writes the first record of a task.
  func create(_ identifier: Int, _ bytes: Data) throws(StorageError) {
    state.withLock { $0.revisions[identifier] = 0 }
    try write(identifier, bytes, revision: 1)
  }

  /// Writes a record unless a newer revision of it was written before, or it was removed.
  func write(_ identifier: Int, _ bytes: Data, revision: UInt64) throws(StorageError) {
    try state.withLock { (state) throws(StorageError) in
      guard state.lock != nil, let known = state.revisions[identifier], known < revision else { return }
      let file = WholeFile(name: "\(identifier)\(Self.suffix)", directory: directory.descriptor, path: directory.path)
      let temporary = file.name + ".new"
      let written = try file.put(bytes, as: temporary)
      guard written.sync() else { throw .last(.write, file.path) }
      try file.rename(temporary)
      guard directory.descriptor.sync() else { throw .last(.write, directory.path) }
      state.revisions[identifier] = revision
    }
  }

  /// Removes a record for good.
  func remove(_ identifier: Int) {
    state.withLock { state in
      guard state.lock != nil, state.revisions.removeValue(forKey: identifier) != nil else { return }
      _ = unlinkat(directory.descriptor.number, "\(identifier)\(Self.suffix)", 0)
      // Should the removal not last, the task comes back at the next start and its end is told once more.
      _ = directory.descriptor.sync()
    }
  }

  /// The records that can be read, in the order of their numbers, and the numbers of all.
  ///
  /// What cannot be read, because it is of a later version or damaged, stays as it is.
  func records() throws(StorageError) -> (readable: [TaskRecord], numbers: [Int]) {
    let found = try Self.records(in: directory)
    let readable = found.compactMap(\.record).sorted { $0.identifier < $1.identifier }
    state.withLock { state in
      for record in readable { state.revisions[record.identifier] = 0 }
    }
    return (readable, found.compactMap(\.number))
  }

  /// Removes what processes left behind that ended, and that no task needs; paused downloads only when nobody has
  /// touched them since `limit`. To be called before any task runs.
  func removeOrphans(olderThan limit: Date) {
    do {
      if let stems = try directory.stemsOfTasks() { try directory.removeOrphans(keeping: stems, olderThan: limit) }
    } catch {
      // They lie there until a later session can read the folder.
    }
  }

  fileprivate static func records(
    in directory: PartialDirectory
  ) throws(StorageError) -> [(number: Int?, record: TaskRecord?)] {
    try directory.names().filter { $0.hasSuffix(suffix) }.map { name in
      let text = name.dropLast(suffix.count)
      let number = Int(text).flatMap { (1...TaskRecord.maximumIdentifier).contains($0) ? $0 : nil }
      guard let bytes = WholeFile.read(name, in: directory.descriptor, limit: TaskRecord.maximumByteCount),
        let record = try? TaskRecord(bytes), record.identifier == number
      else { return (number, nil) }
      return (number, record)
    }
  }
}

extension PartialDirectory {
  /// The names without their ending of partial files that recorded tasks need; `nil` when a record cannot be read, so
  /// that its partial file cannot be told from one that nobody needs.
  func stemsOfTasks() throws(StorageError) -> Set<String>? {
    var stems: Set<String> = []
    for found in try TaskFolder.records(in: self) {
      guard let record = found.record else { return nil }
      stems.insert(record.partialStem)
      guard let data = record.resumeData else { continue }
      guard let resumed = try? ResumeData(data) else { return nil }
      stems.insert(String(resumed.record.partialName.dropLast(".partial".count)))
    }
    return stems
  }
}
