import Foundation
public import LoopbackServer

/// A working directory for `rget` and a resource for it to fetch.
public struct CommandFixture: Sendable {
  /// The seed of the resource's bytes.
  public static let seed: UInt64 = 77

  /// The working directory.
  public let folder: TemporaryFolder
  /// What serves the resource.
  public let server: LoopbackServer
  /// The size of the resource.
  public let count: Int64

  /// A server of one resource.
  ///
  /// - Parameters:
  ///   - count: The size of the resource.
  ///   - bytesPerSecond: The speed of each answer; nil does not limit it.
  public init(count: Int64 = 3_000_000, bytesPerSecond: Int64? = nil) throws {
    let version = RangeResource.Version(.generated(seed: Self.seed, count: count))
    let resource = RangeResource(version, bytesPerSecond: bytesPerSecond)
    try self.init(count: count, handler: resource.answer)
  }

  /// A server that runs already.
  public init(count: Int64, server: LoopbackServer) throws {
    self.count = count
    self.server = server
    folder = try TemporaryFolder("rget")
  }

  /// A server that answers as told.
  public init(count: Int64, handler: @escaping @Sendable (ReceivedRequest) -> Answer) throws {
    try self.init(count: count, server: try LoopbackServer(handler: handler))
  }

  /// The URL of a target as an argument.
  public func address(_ target: String = "/f") -> String { server.url(target).absoluteString }

  /// Starts `rget` in the folder.
  public func start(_ arguments: [String], environment: [String: String?] = [:]) throws -> ChildProcess {
    try Rget.start(arguments, in: folder.path, environment: environment)
  }

  /// Starts `rget` in the folder.
  public func start(_ arguments: String...) throws -> ChildProcess { try start(arguments) }

  /// Runs `rget` in the folder to its end.
  public func run(_ arguments: [String], environment: [String: String?] = [:]) async throws -> ChildProcess.Result {
    try await Rget.run(arguments, in: folder.path, environment: environment)
  }

  /// Runs `rget` in the folder to its end.
  public func run(_ arguments: String...) async throws -> ChildProcess.Result { try await run(arguments) }

  /// Starts a script of bash in the folder, in which `"$RGET"` is the command.
  public func startScript(_ script: String) throws -> ChildProcess {
    try Rget.startScript(script, in: folder.path)
  }

  /// The hidden files in the folder.
  public func hidden() throws -> [String] {
    try folder.contents().filter { $0.hasPrefix(".") }
  }

  /// The size of the partial file, 0 if there is none.
  public func partialSize() throws -> Int64 {
    guard let name = try hidden().first(where: { $0.hasSuffix(".partial") }) else { return 0 }
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
    return (attributes[.size] as? NSNumber)?.int64Value ?? 0
  }

  /// Returns when the partial file has at least that size.
  public func waitForPartial(atLeast size: Int64, of child: ChildProcess) async throws {
    let isThere = try await child.reaches("a partial of \(size) bytes", in: folder.path) { _ in
      (try? partialSize()) ?? 0 >= size
    }
    guard !isThere else { return }
    let text = String(decoding: child.errors, as: UTF8.self)
    let exit = child.exit.map { "\($0)" } ?? ""
    throw TestSupportError.commandFailed("\(exit) before \(size) bytes, \(try folder.contents()): \(text)")
  }

  /// The offset of the first wrong byte of a file in the folder, nil if it is right.
  public func difference(in name: String) throws -> Int64? {
    try Payload.verify(file: folder.path(name), seed: Self.seed, count: count)
  }
}
