/// Puts the pieces of a body together: libcurl hands out 16 KiB at a time, whatever it has read at once, and the kernel
/// takes large writes for less.
///
/// Confined to the loop's thread. It holds bytes of one exchange at a time, and none between two turns of the loop.
final class PieceGatherer {
  /// What libcurl hands out at most (`CURL_MAX_WRITE_SIZE`), unless it was built otherwise. A shorter piece is the last
  /// one of a read.
  static let pieceBytes = 16 * 1024
  /// Measured: what is larger leaves the processor's cache before it is written.
  static let capacity = 128 * 1024

  private var buffer: UnsafeMutableRawBufferPointer?
  private var count = 0
  private var owner: Transfer?

  deinit { buffer?.deallocate() }

  /// Takes a piece from libcurl; how that goes on with its exchange.
  func take(_ piece: UnsafeRawBufferPointer, of transfer: Transfer) -> Transfer.BodyAnswer {
    if owner !== transfer { flush() }
    if count + piece.count > Self.capacity {
      guard deliver() else { return .end }
      // libcurl keeps the piece and hands it out again.
      if transfer.isPaused { return .pause }
    }
    if count == 0, !(Self.pieceBytes...Self.capacity).contains(piece.count) || !transfer.isGathering {
      return transfer.deliver(piece) ? .taken : .end
    }
    owner = transfer
    append(piece)
    return .taken
  }

  /// Hands out what there is. Not from inside a callback of the exchange that it belongs to.
  func flush() {
    if let owner, !deliver() { owner.endEarly() }
  }

  /// Forgets what belongs to an exchange that nobody wants any more.
  func drop(_ transfer: Transfer) {
    if owner === transfer { (owner, count) = (nil, 0) }
  }

  private func append(_ piece: UnsafeRawBufferPointer) {
    let buffer = self.buffer ?? .allocate(byteCount: Self.capacity, alignment: 4096)
    self.buffer = buffer
    UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: piece)
    count += piece.count
  }

  private func deliver() -> Bool {
    guard let owner, let buffer, count > 0 else { return true }
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    (self.owner, count) = (nil, 0)
    return owner.deliver(bytes)
  }
}
