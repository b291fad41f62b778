import Foundation
import LoopbackServer
import TestSupport

/// A working directory for `rget` and a resource for it to fetch.
struct CommandFixture {
  static let seed: UInt64 = 77

  let folder: TemporaryFolder
  let server: LoopbackServer
  let count: Int64

  /// - Parameters:
  ///   - count: The size of the resource.
  ///   - bytesPerSecond: The speed of each answer; nil does not limit it.
  init(count: Int64 = 3_000_000, bytesPerSecond: Int64? = nil) throws {
    let version = RangeResource.Version(.generated(seed: Self.seed, count: count))
    let resource = RangeResource(version, bytesPerSecond: bytesPerSecond)
    try self.init(count: count, handler: resource.answer)
  }

  /// A server that runs already.
  init(count: Int64, server: LoopbackServer) throws {
    self.count = count
    self.server = server
    folder = try TemporaryFolder("rget")
  }

  init(count: Int64, handler: @escaping @Sendable (ReceivedRequest) -> Answer) throws {
    try self.init(count: count, server: try LoopbackServer(handler: handler))
  }

  /// Starts `rget` in the folder.
  func start(_ arguments: String...) throws -> ChildProcess {
    try ChildProcess(try Products.path("rget"), arguments, folder: folder.path)
  }

  /// Runs `rget` in the folder to its end.
  func run(_ arguments: String...) async throws -> ChildProcess.Result {
    try await ChildProcess.run(try Products.path("rget"), arguments, folder: folder.path)
  }

  /// The hidden files in the folder.
  func hidden() throws -> [String] {
    try folder.contents().filter { $0.hasPrefix(".") }
  }

  /// The size of the partial file, 0 if there is none.
  func partialSize() throws -> Int64 {
    guard let name = try hidden().first(where: { $0.hasSuffix(".partial") }) else { return 0 }
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
    return (attributes[.size] as? NSNumber)?.int64Value ?? 0
  }

  /// Returns when the partial file has at least that size; a file has no event to await.
  func waitForPartial(atLeast size: Int64, of child: ChildProcess) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while (try? partialSize()) ?? 0 < size {
      if let exit = child.exit {
        let text = String(decoding: child.errors, as: UTF8.self)
        throw TestSupportError.commandFailed("\(exit) before \(size) bytes, \(try folder.contents()): \(text)")
      }
      guard ContinuousClock.now < deadline else { throw ServerError.timedOut("a partial of \(size) bytes") }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  /// The offset of the first wrong byte of a file in the folder, nil if it is right.
  func difference(in name: String) throws -> Int64? {
    try Payload.verify(file: folder.path(name), seed: Self.seed, count: count)
  }
}
