import Foundation
import LoopbackServer

/// The server of the demonstration: one generated file, slow enough to be interrupted.
struct DemoServer {
  static let count: Int64 = 64 << 20
  private static let seed: UInt64 = 0x5EED
  private static let bytesPerSecond: Int64 = 16 << 20

  private let server: LoopbackServer
  let url: URL

  init() throws {
    let version = RangeResource.Version(.generated(seed: Self.seed, count: Self.count))
    let resource = RangeResource(version, bytesPerSecond: Self.bytesPerSecond)
    server = try LoopbackServer(handler: resource.answer)
    url = server.url("/file")
  }

  /// For each request, in order, the offset from which it asked, nil if it asked for everything.
  func rangeStarts() -> [Int64?] { server.requests.map(\.rangeStart) }

  /// The offset of the first wrong byte, nil if the file is complete and right.
  func firstDifference(in file: URL) throws -> Int64? {
    try Payload.verify(file: file.path, seed: Self.seed, count: Self.count)
  }

  func stop() { server.stop() }
}
