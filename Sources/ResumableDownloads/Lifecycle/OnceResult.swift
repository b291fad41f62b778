internal import Synchronization

/// Keeps the first directory that could be opened; a failure is tried again the next time.
final class OnceResult: Sendable {
  private let value = Mutex<PartialDirectory?>(nil)

  func get(_ make: () throws(StorageError) -> PartialDirectory) throws(StorageError) -> PartialDirectory {
    if let known = value.withLock({ $0 }) { return known }
    let made = try make()
    return value.withLock { value in
      let kept = value ?? made
      value = kept
      return kept
    }
  }
}
