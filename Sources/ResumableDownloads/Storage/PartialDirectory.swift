internal import Foundation
internal import Glibc
internal import Synchronization

/// A folder with partial files and their journals, held open so that it cannot be swapped for another.
final class PartialDirectory: Sendable {
  let path: String
  let descriptor: FileDescriptor
  /// Whether everything in here is ours, so that leftovers may be cleared away.
  let isPrivate: Bool
  /// Whether a lock was seen to keep others out: asked once, because thousands of small files may be made.
  private let hasTrustedLocks = Atomic(false)

  /// Opens a folder that only this user can use, and makes it if it is missing.
  init(privatePath: String) throws(StorageError) {
    let path = Self.absolute(privatePath)
    try Self.make(path)
    guard let descriptor = FileDescriptor.open(path, flags: O_RDONLY | O_DIRECTORY) else {
      let isForeign = errno == ELOOP || errno == ENOTDIR
      throw .last(isForeign ? .notOurs : .open, path)
    }
    guard descriptor.status?.isPrivateDirectory == true else { throw .notOurs(path) }
    self.path = path
    self.descriptor = descriptor
    isPrivate = true
  }

  /// Opens a folder of the user, which has to exist; it may be reached through a link.
  init(sharedPath: String) throws(StorageError) {
    let path = Self.absolute(sharedPath)
    guard let descriptor = FileDescriptor.open(path, flags: O_RDONLY | O_DIRECTORY, followingLink: true) else {
      throw .last(.open, path)
    }
    self.path = path
    self.descriptor = descriptor
    isPrivate = false
  }

  /// Where sessions without a folder of their own keep partial files; follows `TMPDIR`.
  static func temporaryPath() -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent("resumable-downloads-\(geteuid())").path
  }

  /// Makes a new, empty, locked partial file; `syncNames()` has to come before its first byte unless its name is new.
  ///
  /// - Parameter isNameNew: Whether no file ever had the name, so that no journal of another one can speak of this.
  func create(stem: String, isNameNew: Bool = false) throws(StorageError) -> PartialFile {
    let name = stem + ".partial"
    let path = self.path + "/" + name
    guard Self.isPlain(name) else { throw StorageError(operation: .create, code: EINVAL, path: path) }
    let flags = PartialFile.openFlags | O_CREAT | O_EXCL
    guard let file = FileDescriptor.open(name, in: descriptor.number, flags: flags, mode: 0o600) else {
      throw .last(.create, path)
    }
    do throws(StorageError) {
      guard file.lock(isTrusted: hasTrustedLocks.load(ordering: .relaxed)) else {
        throw .last(errno == EWOULDBLOCK ? .inUse : .create, path)
      }
      hasTrustedLocks.store(true, ordering: .relaxed)
      if !isNameNew { try removeOrphan(stem) }
    } catch {
      _ = unlinkat(descriptor.number, name, 0)
      throw error
    }
    return PartialFile(
      stem: stem, length: 0, descriptor: file, directory: self, hasJournal: false, isNameNew: isNameNew)
  }

  /// Waits until names that were removed are off the disk.
  ///
  /// Until then a power cut may bring back the journal of an earlier file and let it speak of a new one with its name.
  func syncNames() throws(StorageError) {
    guard descriptor.syncNames() else { throw .last(.create, path) }
  }

  /// Removes the journal that a process has left which was killed when its file had just got its final name.
  func removeFinished(stem: String) {
    guard FileStatus.of(stem + ".partial", in: descriptor.number) == nil else { return }
    // Something else under that name is not ours to remove, and a journal that stays counts for nothing.
    try? removeOrphan(stem)
  }

  /// Removes a journal whose partial file is gone, but never a file that is no journal.
  private func removeOrphan(_ stem: String) throws(StorageError) {
    let name = stem + ".resume"
    switch JournalFile.read(name, in: descriptor) {
    case .nothing: return
    case .record, .torn: try JournalFile(stem: stem, directory: descriptor, path: path).remove()
    case .unreadable: throw .notOurs(path + "/" + name, EEXIST)
    }
  }

  /// A name that stays in its folder.
  static func isPlain(_ name: String) -> Bool {
    name.utf8.allSatisfy { $0 != 0 && $0 != UInt8(ascii: "/") } && name.hasSuffix(".partial")
      && name != ".partial"
  }

  private static func absolute(_ path: String) -> String {
    URL(fileURLWithPath: path).path
  }

  /// Makes a folder and its parents, all for this user only.
  private static func make(_ path: String) throws(StorageError) {
    guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
    let parent = (path as NSString).deletingLastPathComponent
    guard errno == ENOENT, !parent.isEmpty, parent != path else { throw .last(.create, path) }
    try make(parent)
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .last(.create, path) }
  }
}
