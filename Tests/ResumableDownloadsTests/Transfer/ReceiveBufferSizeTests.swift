import Testing

@testable import ResumableDownloads

@Suite(.timeLimit(.minutes(1)))
struct ReceiveBufferSizeTests {
  private func size(after bodies: [Int64]) -> Int {
    var size = ReceiveBufferSize()
    for bytes in bodies { size.note(bodyBytes: bytes) }
    return size.bytes / 1024
  }

  @Test("After many small bodies in a row the buffer is small")
  func row() {
    #expect(size(after: []) == 512)
    #expect(size(after: Array(repeating: 4096, count: 15)) == 512)
    #expect(size(after: Array(repeating: 512 * 1024, count: 16)) == 64)
  }

  @Test("A large body ends the row, and no body at all does not count")
  func interrupted() {
    let row = Array(repeating: Int64(1), count: 16)
    #expect(size(after: row + [512 * 1024 + 1]) == 512)
    #expect(size(after: row.dropLast() + [0]) == 512)
    #expect(size(after: row + [0]) == 64)
  }
}
