import Foundation

/// Compares files byte for byte.
enum Comparison {
  private static let blockBytes = 1 << 20

  /// Throws unless both files hold the same bytes.
  static func check(_ path: String, isCopyOf original: String) throws {
    let (first, second) = (try Reader(path), try Reader(original))
    var offset = 0
    while true {
      let (left, right) = (try first.next(), try second.next())
      if left.isEmpty, right.isEmpty { return }
      guard left.count == right.count, let start = left.baseAddress, let expected = right.baseAddress,
        memcmp(start, expected, left.count) == 0
      else { throw BenchmarkError.wrongFile("\(path) differs from \(original) within 1 MiB after byte \(offset)") }
      offset += left.count
    }
  }

  /// Whole blocks of one file.
  private final class Reader {
    private let descriptor: Int32
    private let path: String
    private let block: UnsafeMutableRawBufferPointer

    init(_ path: String) throws {
      self.path = path
      descriptor = try OpenFile.descriptor(path, O_RDONLY)
      block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockBytes, alignment: 64)
    }

    deinit {
      close(descriptor)
      block.deallocate()
    }

    /// The next block, shorter only at the end; valid until the next call.
    func next() throws -> UnsafeRawBufferPointer {
      var filled = 0
      while filled < block.count, let base = block.baseAddress {
        let count = read(descriptor, base + filled, block.count - filled)
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw BenchmarkError.last("read \(path)") }
        if count == 0 { break }
        filled += count
      }
      return UnsafeRawBufferPointer(rebasing: block[..<filled])
    }
  }
}
