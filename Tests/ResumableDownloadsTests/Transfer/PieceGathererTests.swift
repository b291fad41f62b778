internal import Synchronization
internal import Testing

@testable internal import ResumableDownloads

@Suite("Pieces of a body", .timeLimit(.minutes(1)))
struct PieceGathererTests {
  /// Notes how long the pieces are that reach it.
  private final class Sink: TransferSink {
    var lengths: [Int] = []

    func transfer(_ transfer: Transfer, didReceive head: ResponseHead) -> SinkAnswer { .proceed }
    func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> SinkAnswer {
      lengths.append(bytes.count)
      return .proceed
    }
    func transfer(_ transfer: Transfer, didEndWith error: TransferError?) {}
  }

  /// The lengths in which pieces of these lengths reach a sink, by the way of libcurl's callback.
  private func delivered(_ pieces: [Int]) async throws -> [Int] {
    let engine = try TransferEngine()
    defer { engine.shutDown() }
    return try await withCheckedThrowingContinuation { continuation in
      engine.perform { loop in
        continuation.resume(with: Result { try Self.gather(pieces, on: loop) })
      }
    }
  }

  private static func gather(_ pieces: [Int], on loop: TransferLoop) throws -> [Int] {
    let request = TransferRequest(
      url: "http://localhost/", method: "GET", fields: [], inactivityTimeout: 0, options: TransferOptions())
    let sink = Sink()
    guard let handle = EasyHandle() else { return [] }
    let transfer = try Transfer(request: request, sink: sink, handle: handle, loop: loop)
    transfer.isGathering = true
    let bytes = [UInt8](repeating: 1, count: pieces.max() ?? 0)
    for piece in pieces {
      bytes.withUnsafeBytes { bytes in
        let piece = UnsafeRawBufferPointer(rebasing: bytes[..<piece])
        if !loop.gatherer.room.pointee.take(piece, of: transfer.context) { _ = loop.gatherer.take(piece, of: transfer) }
      }
    }
    loop.gatherer.flush()
    return sink.lengths
  }

  @Test("Full pieces are put together, and the rest comes with the flush")
  func together() async throws {
    let full = [Int](repeating: PieceGatherer.pieceBytes, count: PieceGatherer.capacity / PieceGatherer.pieceBytes + 1)
    #expect(try await delivered(full + [5]) == [PieceGatherer.capacity, PieceGatherer.pieceBytes + 5])
    #expect(try await delivered([5, 5]) == [5, 5])
  }

  @Test("A piece that is longer than there is room goes through as it is")
  func large() async throws {
    let (piece, large) = (PieceGatherer.pieceBytes, PieceGatherer.capacity + 1)
    #expect(try await delivered([large]) == [large])
    #expect(try await delivered([piece, large, piece]) == [piece, large, piece])
  }
}
