internal import Foundation
internal import Glibc

extension PartialFile {
  /// Syncs the file and gives it its final name; when that fails, partial file and journal are still there.
  func finish(
    at destination: String, replacing: Bool, on queue: DispatchQueue,
    completion: @escaping @Sendable (Result<FinishedFile, StorageError>) -> Void
  ) {
    guard let file = descriptor else {
      let error = StorageError(operation: .move, code: EBADF, path: path)
      return queue.async { completion(.failure(error)) }
    }
    let move = FinalMove(
      file: file, directory: directory.descriptor, name: name, path: path, destination: destination,
      length: length, replacing: replacing)
    let journal = journal
    queue.async {
      do throws(StorageError) {
        let finished = try move.run()
        // One that stays is told from that of a later file: it goes before that one begins, or when the folder is
        // swept.
        try? journal.remove()
        move.removeSource()
        file.unlock()
        completion(.success(finished))
      } catch {
        completion(.failure(error))
      }
    }
  }
}

/// One move of a partial file to its final name.
struct FinalMove: Sendable {
  let file: FileDescriptor
  let directory: FileDescriptor
  let name: String
  let path: String
  let destination: String
  let length: Int64
  let replacing: Bool

  private var folder: String {
    let folder = (destination as NSString).deletingLastPathComponent
    return folder.isEmpty ? "." : folder
  }

  /// Moves, or copies to another file system, and syncs the destination's directory.
  func run() throws(StorageError) -> FinishedFile {
    guard file.syncData(), let status = file.status else { throw .last(.write, path) }
    // Somebody else may have removed, replaced, cut or lengthened it.
    guard status.isSameFile(as: FileStatus.of(name, in: directory.number)), status.size == length else {
      throw StorageError(operation: .move, code: ESTALE, path: path)
    }
    guard let folder = FileDescriptor.open(folder, flags: O_RDONLY | O_DIRECTORY, followingLink: true) else {
      throw .last(.move, destination)
    }
    let takesPlace = FileStatus.of(destination) != nil
    _ = fchmod(file.number, SystemFacts.fileMode)
    var finished = FinishedFile(path: destination, status: status)
    if !rename(name, in: directory.number) {
      let error = StorageError.last(.move, destination)
      _ = fchmod(file.number, 0o600)
      guard error.code == EXDEV else { throw error }
      finished = try copy(size: status.size)
    }
    guard folder.syncNames() else {
      throw takeBack(finished, unlessItTookPlace: takesPlace, StorageError.last(.move, destination))
    }
    return finished
  }

  /// Success would promise that the name survives a power cut. The partial file is made what it was, so that the next
  /// attempt costs no transfer; but where it took an older file's place it stays: without it there would be neither.
  private func takeBack(
    _ finished: FinishedFile, unlessItTookPlace takesPlace: Bool, _ error: StorageError
  ) -> StorageError {
    let confirmation = StorageError(operation: .confirm, code: error.code, path: destination)
    guard !takesPlace, let now = FileStatus.of(destination), finished.isSameFile(as: now) else { return confirmation }
    if file.status?.isSameFile(as: now) != true {
      _ = unlink(destination)
    } else {
      guard HiddenCalls.renameExclusively(AT_FDCWD, destination, to: name, in: directory.number) else {
        return confirmation
      }
      _ = fchmod(file.number, 0o600)
    }
    return error
  }

  /// Removes what a copy has left behind; after a rename there is nothing under that name.
  func removeSource() {
    guard file.status?.isSameFile(as: FileStatus.of(name, in: directory.number)) == true else { return }
    _ = unlinkat(directory.number, name, 0)
  }

  private func rename(_ name: String, in directory: Int32) -> Bool {
    guard replacing else { return HiddenCalls.renameExclusively(directory, name, to: destination) }
    return renameat(directory, name, AT_FDCWD, destination) == 0
  }

  /// Copies to a hidden name beside the destination and renames that.
  func copy(size: Int64) throws(StorageError) -> FinishedFile {
    // Always the same name for a partial file, so that the next attempt clears what a killed one has left.
    let hiddenName = (name.hasPrefix(".") ? name : "." + name) + ".copy"
    let hidden = (folder as NSString).appendingPathComponent(hiddenName)
    if FileStatus.of(hidden)?.isOurSingleFile == true { _ = unlink(hidden) }
    guard let target = FileDescriptor.open(hidden, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600) else {
      throw .last(.create, hidden)
    }
    do throws(StorageError) {
      try copyBytes(to: target, size: size, path: hidden)
      _ = fchmod(target.number, SystemFacts.fileMode)
      guard target.sync(), let status = target.status else { throw .last(.write, hidden) }
      guard rename(hidden, in: AT_FDCWD) else { throw .last(.move, destination) }
      return FinishedFile(path: destination, status: status)
    } catch {
      _ = unlink(hidden)
      throw error
    }
  }

  private func copyBytes(to target: FileDescriptor, size: Int64, path hidden: String) throws(StorageError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while offset < size {
      let count = pread(file.number, buffer.baseAddress, buffer.count, off_t(offset))
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        throw StorageError(operation: .move, code: count == 0 ? EIO : errno, path: path)
      }
      let part = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      guard target.write(part, at: offset) == count else { throw .last(.write, hidden) }
      offset += Int64(count)
    }
  }
}
