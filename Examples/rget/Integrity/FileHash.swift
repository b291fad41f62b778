import Dispatch
import Foundation

/// Values of files.
enum FileHash {
  private static let blockSize = 1 << 20

  /// Reads the file once and computes what is asked for; nil if `isCancelled` came true meanwhile.
  ///
  /// - Throws: `Failure` if the file cannot be read.
  static func compute(
    _ digests: Set<Digest>, of path: String, isCancelled: @escaping @Sendable () -> Bool
  ) async throws -> [Digest: Data]? {
    // Reading blocks, which the threads of the concurrency runtime must not.
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try computeNow(digests, of: path, isCancelled: isCancelled) })
      }
    }
  }

  private static func computeNow(
    _ digests: Set<Digest>, of path: String, isCancelled: () -> Bool
  ) throws -> [Digest: Data]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure.system("read \(path)") }
    defer { close(descriptor) }
    var sha256 = HashContext(.sha256)
    var sha512 = HashContext(.sha512)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      if isCancelled() { return nil }
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Failure.system("read \(path)") }
      if count == 0 { break }
      let part = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      if digests.contains(.sha256) { sha256.update(part) }
      if digests.contains(.sha512) { sha512.update(part) }
    }
    return [.sha256: sha256.finish(), .sha512: sha512.finish()].filter { digests.contains($0.key) }
  }
}
