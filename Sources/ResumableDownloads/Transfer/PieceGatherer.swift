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

  /// What the fast path of the write callback looks at.
  struct Room {
    /// Whose bytes are there; compared only.
    fileprivate(set) var owner: UnsafeMutableRawPointer?
    fileprivate(set) var count = 0
    fileprivate let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: PieceGatherer.capacity, alignment: 4096)

    /// Takes a piece that follows others of the same exchange, as nearly all do, and touches no reference count for it.
    /// False, with nothing done, for every other.
    mutating func take(_ piece: UnsafeRawBufferPointer, of transfer: UnsafeMutableRawPointer) -> Bool {
      guard transfer == owner, count + piece.count <= PieceGatherer.capacity else { return false }
      UnsafeMutableRawBufferPointer(rebasing: bytes[count...]).copyMemory(from: piece)
      count += piece.count
      return true
    }
  }

  let room = UnsafeMutablePointer<Room>.allocate(capacity: 1)
  private var owner: Transfer? {
    didSet { room.pointee.owner = owner?.context }
  }

  init() { room.initialize(to: Room()) }

  deinit {
    room.pointee.bytes.deallocate()
    room.deallocate()
  }

  /// Takes a piece from libcurl; how that goes on with its exchange.
  func take(_ piece: UnsafeRawBufferPointer, of transfer: Transfer) -> Transfer.BodyAnswer {
    if owner !== transfer { flush() }
    if room.pointee.count + piece.count > Self.capacity {
      guard deliver() else { return .end }
      // libcurl keeps the piece and hands it out again.
      if transfer.isPaused { return .pause }
    }
    if room.pointee.count == 0, !(Self.pieceBytes...Self.capacity).contains(piece.count) || !transfer.isGathering {
      return transfer.deliver(piece) ? .taken : .end
    }
    owner = transfer
    // There is room by now; were there none, the exchange would end rather than lose a byte.
    return room.pointee.take(piece, of: transfer.context) ? .taken : .end
  }

  /// Hands out what there is. Not from inside a callback of the exchange that it belongs to.
  func flush() {
    if let owner, !deliver() { owner.endEarly() }
  }

  /// Forgets what belongs to an exchange that nobody wants any more.
  func drop(_ transfer: Transfer) {
    if owner === transfer { clear() }
  }

  private func clear() { (owner, room.pointee.count) = (nil, 0) }

  private func deliver() -> Bool {
    guard let owner, room.pointee.count > 0 else { return true }
    let bytes = UnsafeRawBufferPointer(rebasing: room.pointee.bytes[..<room.pointee.count])
    clear()
    return owner.deliver(bytes)
  }
}
