internal import Glibc

/// A file operation on a partial file, its journal or their directory that failed.
struct StorageError: Error, Sendable, Equatable {
  /// What was being done.
  enum Operation: Sendable {
    case create, open, write, move, remove, inUse, notOurs
    /// The whole file has its name, but the disk did not take the name.
    case confirm
  }

  let operation: Operation
  /// The `errno` of the failed call, or the closest one when our own check failed.
  let code: Int32
  let path: String

  /// Takes the code from `errno`, so it has to be made right after the failed call.
  static func last(_ operation: Operation, _ path: String) -> StorageError {
    StorageError(operation: operation, code: errno, path: path)
  }

  /// A file or folder that is not of the kind, owner or mode we accept.
  static func notOurs(_ path: String, _ code: Int32 = EPERM) -> StorageError {
    StorageError(operation: .notOurs, code: code, path: path)
  }
}
