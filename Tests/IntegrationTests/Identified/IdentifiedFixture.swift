import Foundation
import Glibc
import LoopbackServer
import TestSupport
import Testing

/// A home for a program whose session has an identifier, and a server for it; both outlive its processes.
struct IdentifiedFixture {
  static let seed: UInt64 = 21
  static let count: Int64 = 6 << 20
  /// Where the first answers stop, without closing: beyond the first journal.
  static let stop: Int64 = 3 << 20
  /// The number of the first task.
  static let first = 1_000_001

  let home: TemporaryFolder
  let server: LoopbackServer

  init(handler: @escaping @Sendable (ReceivedRequest) -> Answer) throws {
    home = try TemporaryFolder("identified")
    try home.makeFolder("keep")
    server = try LoopbackServer(handler: handler)
  }

  /// With a server that stalls in so many answers and gives the rest in full.
  init(stalls: Int) throws {
    let drops = (0..<stalls).map { _ in RangeResource.Drop.dropAfter(Self.stop, .hang) }
    try self.init(handler: RangeResource(.init(.generated(seed: Self.seed, count: Self.count)), drops: drops).answer)
  }

  func address(_ path: String = "/file") -> String { server.url(path).absoluteString }

  /// Starts the program with a script.
  func start(_ words: String...) throws -> ChildProcess { try start(words) }

  /// Leaves a download with `stop` bytes suspended, and kills the program.
  func leaveSuspended() async throws {
    _ = try await run(
      until: "suspended \(Self.first)\n", "suspend-at", "\(Self.stop)", "start", address(), "one")
  }

  /// Starts the program with a script and kills it when it has written a line.
  func run(until line: String, _ words: String...) async throws -> Lines {
    let child = try start(words)
    try await child.waitForOutput(line)
    return try await kill(child)
  }

  /// Runs the program until its script ends it.
  func run(_ words: String...) async throws -> Lines {
    lines(try await start(words).wait())
  }

  private func start(_ words: [String]) throws -> ChildProcess {
    try ChildProcess(
      try Products.path("BackgroundClient"), ["test", home.path("keep")] + words,
      environment: ["HOME": home.path, "XDG_STATE_HOME": nil])
  }

  /// Kills the program and waits for its end.
  func kill(_ child: ChildProcess) async throws -> Lines {
    child.send(SIGKILL)
    return lines(try await child.wait())
  }

  /// The output; whatever goes to standard error, a report of a sanitizer for example, is a fault.
  private func lines(_ result: ChildProcess.Result) -> Lines {
    #expect(result.errorText == "")
    return Lines(result.text)
  }

  /// The folder of the session.
  var folder: URL { home.url(".local/state/resumable-downloads/BackgroundClient/test") }

  /// The files of the session, except the lock that it keeps for good.
  func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != ".lock" }.sorted()
  }

  /// How many tasks are recorded.
  func taskCount() throws -> Int { try files().count { $0.hasSuffix(".task") } }

  /// Returns when the program has reported progress so many times, or has nothing left to do.
  func waitForProgress(_ reports: Int, of child: ChildProcess) async throws {
    try await child.waitForOutput("ready\n")
    _ = try await child.reaches("\(reports) progress reports", in: folder.path) { output in
      Lines(String(decoding: output, as: UTF8.self)).progress >= reports || (try? taskCount()) == 0
    }
  }

  /// Returns when there are so many files with an ending.
  func waitForFiles(_ ending: String, count: Int) async throws {
    try await FolderWatch.wait(in: folder.path, for: "\(count) files *\(ending)") {
      (try? files())?.count { $0.hasSuffix(ending) } ?? 0 >= count
    }
  }

  /// The offset of the first wrong byte of a kept file, nil if it is right.
  func difference(in path: String) throws -> Int64? {
    try Payload.verify(file: path, seed: Self.seed, count: Self.count)
  }

  func kept(_ number: Int = Self.first) -> String { home.path("keep/\(number)") }
}

/// What the program wrote.
struct Lines {
  let all: [String]

  init(_ text: String) { all = text.split(separator: "\n").map(String.init) }

  /// The tasks that a process found: number, state, path, header field and description.
  var tasks: [String] { all.filter { $0.hasPrefix("task ") }.map { String($0.dropFirst("task ".count)) } }

  /// How many times progress was reported.
  var progress: Int { all.count { $0.hasPrefix("wrote ") } }

  /// The callbacks in order, without the progress.
  var callbacks: [String] {
    all.filter { line in
      ["resumed", "finished", "completed", "delivered", "invalid", "failed", "handler", "async", "blob"]
        .contains { line.hasPrefix($0) }
    }
  }
}
