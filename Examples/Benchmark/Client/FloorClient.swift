import Foundation
import LoopbackServer

/// The least that a download of one file can cost: one socket, one buffer of 1 MiB, write(2).
struct FloorClient {
  private static let bufferBytes = 1 << 20

  let order: ClientOrder

  func run() throws -> [String: Double] {
    let url = try order.url(0)
    let connection = try Socket.connect(port: UInt16(url.port ?? 80)).get()
    defer { Socket.close(connection) }
    let request = "GET \(url.path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    guard send(connection, request, request.utf8.count, 0) == request.utf8.count else {
      throw BenchmarkError.last("send")
    }
    let file = try OpenFile.descriptor(order.output + "/0", O_WRONLY | O_CREAT | O_TRUNC)
    defer { close(file) }
    try copy(connection, to: file)
    return [:]
  }

  private func copy(_ connection: Int32, to file: Int32) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferBytes, alignment: 4096)
    defer { buffer.deallocate() }
    let end = Data("\r\n\r\n".utf8)
    var isBody = false
    while true {
      let count = recv(connection, buffer.baseAddress, buffer.count, 0)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw BenchmarkError.last("recv") }
      if count == 0 { return }
      var bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      if !isBody {
        // nginx sends the whole head in one piece.
        guard let head = Data(bytes.prefix(4096)).range(of: end) else { throw BenchmarkError.client("no head") }
        bytes = UnsafeRawBufferPointer(rebasing: bytes[head.upperBound...])
        isBody = true
      }
      while !bytes.isEmpty {
        let written = write(file, bytes.baseAddress, bytes.count)
        if written < 0 && errno == EINTR { continue }
        guard written > 0 else { throw BenchmarkError.last("write") }
        bytes = UnsafeRawBufferPointer(rebasing: bytes[written...])
      }
    }
  }
}
