internal import Foundation
internal import Glibc

/// A small file that is only ever replaced as a whole: written under another name, then renamed.
struct WholeFile: Sendable {
  let name: String
  let directory: FileDescriptor
  /// The path of the directory.
  let directoryPath: String

  init(name: String, directory: FileDescriptor, path: String) {
    self.name = name
    self.directory = directory
    directoryPath = path
  }

  var path: String { directoryPath + "/" + name }

  /// Writes a new file under a temporary name, without waiting for the disk.
  func put(_ bytes: Data, as temporary: String) throws(StorageError) -> FileDescriptor {
    // Nothing is not worth the place of something.
    guard !bytes.isEmpty else { throw StorageError(operation: .write, code: EINVAL, path: path) }
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

  /// Puts the temporary file in place.
  func rename(_ temporary: String) throws(StorageError) {
    guard renameat(directory.number, temporary, directory.number, name) == 0 else {
      let error = StorageError.last(.write, path)
      _ = unlinkat(directory.number, temporary, 0)
      throw error
    }
  }

  /// The bytes of a regular file of this user; `nil` for anything else, and when there are more than `limit`.
  static func read(_ name: String, in directory: FileDescriptor, limit: Int) -> Data? {
    guard FileStatus.of(name, in: directory.number)?.isOurFile == true,
      let file = FileDescriptor.open(name, in: directory.number, flags: O_RDONLY | O_NONBLOCK),
      let status = file.status, status.isOurFile, status.size <= limit
    else { return nil }
    return file.contents(limit: Int(status.size))
  }
}
