internal import Foundation
internal import Glibc

extension PartialDirectory {
  private static let blockBytes = 1 << 20

  /// Makes a partial of another program's file: the first `length` bytes are copied, or all of them.
  ///
  /// The partial is locked and has no journal yet.
  func create(stem: String, copying path: String, length: Int64?) throws(StorageError) -> PartialFile {
    guard let source = FileDescriptor.open(path, flags: O_RDONLY | O_NONBLOCK), source.status?.isRegularFile == true
    else {
      throw .last(.open, path)
    }
    let partial = try create(stem: stem)
    do throws(StorageError) {
      try Self.copy(source, path, to: partial, length: length ?? .max)
      return partial
    } catch {
      partial.discard()
      throw error
    }
  }

  private static func copy(
    _ source: FileDescriptor, _ path: String, to partial: PartialFile, length: Int64
  ) throws(StorageError) {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockBytes, alignment: 16)
    defer { block.deallocate() }
    while partial.length < length {
      let wanted = Int(min(Int64(block.count), length - partial.length))
      let count = pread(source.number, block.baseAddress, wanted, off_t(partial.length))
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .last(.open, path) }
      guard count > 0 else { return }
      try partial.append(UnsafeRawBufferPointer(rebasing: block[..<count]))
    }
  }
}
