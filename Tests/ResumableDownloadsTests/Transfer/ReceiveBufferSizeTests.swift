import Testing

@testable import ResumableDownloads

@Suite struct ReceiveBufferSizeTests {
  @Test("After some small bodies in a row the buffer is small, and after a large one it is large again")
  func sizes() {
    var size = ReceiveBufferSize()
    #expect(size.bytes == 512 * 1024)
    var sizes: [Int] = []
    for bytes: Int64 in [0, 1, 512 * 1024, 4096, 4096, 512 * 1024 + 1, 1] {
      size.note(bodyBytes: bytes)
      sizes.append(size.bytes / 1024)
    }
    #expect(sizes == [512, 512, 512, 64, 64, 512, 512])
  }
}
