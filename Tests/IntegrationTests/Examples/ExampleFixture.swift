import Foundation
import LoopbackServer
import TestSupport

/// A folder for an example program, and a resource of 10 MiB for it to fetch.
///
/// The programs say every ten percent how far they are, which is every MiB: when a server that stalls at a whole MiB
/// has been seen to be there, everything that it sent has arrived.
struct ExampleFixture: Sendable {
  static let seed: UInt64 = 31
  static let mebibyte: Int64 = 1 << 20
  static let count: Int64 = 10 * mebibyte
  static let entityTag = "\"a1\""

  let program: String
  let folder: TemporaryFolder
  /// Its home, with its temporary folder.
  private let home: TemporaryFolder
  let server: LoopbackServer

  init(_ program: String, handler: @escaping @Sendable (ReceivedRequest) -> Answer) throws {
    self.program = program
    folder = try TemporaryFolder("example")
    home = try TemporaryFolder("home")
    server = try LoopbackServer(handler: handler)
  }

  /// With a server whose first answers stall, each after so many MiB of its body.
  init(_ program: String, stallsAfter mebibytes: [Int64] = []) throws {
    let resource = RangeResource(
      .init(.generated(seed: Self.seed, count: Self.count)),
      drops: mebibytes.map { .dropAfter($0 * Self.mebibyte, .hang) })
    try self.init(program, handler: resource.answer)
  }

  func address(_ path: String = "/file.bin") -> String { server.url(path).absoluteString }

  /// Starts the program in the folder.
  func start(_ arguments: String...) throws -> ChildProcess {
    try ChildProcess(
      try Products.path(program), arguments,
      environment: ["HOME": home.path, "TMPDIR": home.path, "XDG_STATE_HOME": nil],
      folder: folder.path, isTypedTo: true)
  }

  /// Kills the program and returns what it had written.
  func kill(_ child: ChildProcess) async throws -> String {
    child.send(SIGKILL)
    return try await child.wait().text
  }

  /// What a program wrote, without its progress.
  static func lines(_ result: ChildProcess.Result) -> [String] {
    result.text.split(separator: "\n").map(String.init).filter { !$0.hasSuffix(" %") }
  }

  /// The first byte that each request asked for; nil where it asked for everything.
  var starts: [Int64?] { server.requests.map(\.rangeStart) }

  /// Whether each request for a part, and no other, has said of which version.
  var areConditional: Bool {
    server.requests.allSatisfy { $0.values("If-Range") == ($0.values("Range").isEmpty ? [] : [Self.entityTag]) }
  }

  /// The offset of the first wrong byte of a file in the folder, nil if it is right.
  func difference(in name: String) throws -> Int64? {
    try Payload.verify(file: folder.path(name), seed: Self.seed, count: Self.count)
  }

  /// What is in the folder or one in it, also hidden.
  func files(in name: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path(name)).sorted()
  }
}

extension ChildProcess {
  /// Returns when it has written so many lines that begin with a text.
  func waitForLines(_ count: Int, startingWith prefix: String) async throws {
    try await waitForOutput("\(count) lines \(prefix)") { output in
      output.split(separator: "\n").count { $0.hasPrefix(prefix) } >= count
    }
  }

  /// Returns when it has told of so much progress.
  func waitForProgress(atLeast percent: Int) async throws {
    try await waitForOutput("\(percent) %") { output in
      output.split(separator: "\n").contains { line in
        line.hasSuffix(" %") && Int(line.dropLast(2)).map { $0 >= percent } == true
      }
    }
  }
}
