public import Foundation
import Glibc
import LoopbackServer
import Synchronization

/// Another program, with its output captured while it runs.
///
/// Its standard input is `/dev/null` unless a test types to it; it inherits no other descriptor, no blocked and no
/// ignored signal. It is ended when the value is released while it runs.
public final class ChildProcess: Sendable {
  /// How a program ended.
  public enum Exit: Sendable, Equatable {
    /// It ended by itself, with that status.
    case exited(Int32)
    /// That signal ended it.
    case signalled(Int32)

    /// Reads what wait(2) tells of a process that has ended.
    public init(waitStatus status: Int32) {
      let signal = status & 0x7F
      self = signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }
  }

  /// How a program ended, and all that it wrote.
  public struct Result: Sendable {
    /// How it ended.
    public let exit: Exit
    /// Its standard output.
    public let output: Data
    /// Its standard error.
    public let errors: Data

    /// Its standard output as text.
    public var text: String { String(decoding: output, as: UTF8.self) }
    /// Its standard error as text.
    public var errorText: String { String(decoding: errors, as: UTF8.self) }
    /// True if it ended by itself with status 0.
    public var isSuccess: Bool { exit == .exited(0) }
  }

  struct Progress: Sendable {
    var output = Data()
    var errors = Data()
    var openPipes = 2
    var exit: Exit?
  }

  /// The process identifier; it may belong to another process once this one has ended.
  public let identifier: Int32
  private let progress: Observed<Progress>
  private let name: String
  private let lastSignal: Int32
  private let input: TypedInput?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: The program's path; it is not searched for.
  ///   - arguments: The arguments after the program's name.
  ///   - environment: Variables that are added to those of this process, or replace them; nil removes one.
  ///   - folder: The working directory; nil is that of this process.
  ///   - isTypedTo: Whether `type(_:)` is its standard input.
  ///   - lastSignal: Sent if the value is released while the program runs.
  /// - Throws: `TestSupportError.system` if it cannot be started.
  public init(
    _ path: String, _ arguments: [String] = [], environment: [String: String?] = [:], folder: String? = nil,
    isTypedTo: Bool = false, lastSignal: Int32 = SIGKILL
  ) throws {
    self.lastSignal = lastSignal
    input = isTypedTo ? try TypedInput() : nil
    let progress = Observed(Progress())
    let variables = ProcessInfo.processInfo.environment.merging(environment.compactMapValues { $0 }) { $1 }
    let removed = environment.filter { $0.value == nil }.keys
    let launch = Launch(
      path: path, arguments: arguments, environment: variables.filter { !removed.contains($0.key) }, folder: folder,
      input: input?.childsEnd)
    let (identifier, output, errors) = try launch.start()
    input?.releaseChildsEnd()
    self.progress = progress
    self.identifier = identifier
    name = path
    Thread.detachNewThread { Self.drain(output, into: \.output, of: progress) }
    Thread.detachNewThread { Self.drain(errors, into: \.errors, of: progress) }
    Thread.detachNewThread { Self.reap(identifier, progress) }
  }

  deinit { send(lastSignal) }

  /// Runs a program to its end.
  public static func run(
    _ path: String, _ arguments: [String] = [], environment: [String: String?] = [:], folder: String? = nil,
    timeoutSeconds: Double = 60
  ) async throws -> Result {
    let child = try ChildProcess(path, arguments, environment: environment, folder: folder)
    return try await child.wait(timeoutSeconds: timeoutSeconds)
  }

  /// What it wrote to standard output so far.
  public var output: Data { progress.read { $0.output } }

  /// What it wrote to standard error so far.
  public var errors: Data { progress.read { $0.errors } }

  /// How it ended, nil while it runs.
  public var exit: Exit? { progress.read { $0.exit } }

  /// Writes a line to its standard input.
  ///
  /// - Throws: `TestSupportError.system` if it does not read any more.
  public func type(_ line: String) throws {
    guard let input else { throw TestSupportError.unsupported("typing to \(name)") }
    try input.type(line)
  }

  /// Lets it come to the end of its standard input.
  public func endInput() { input?.end() }

  /// Sends a signal; does nothing once the program has ended.
  public func send(_ signal: Int32) {
    // Under the lock in which the end is recorded, so that the number cannot belong to another process yet.
    progress.update { [identifier] in if $0.exit == nil { kill(identifier, signal) } }
  }

  /// Returns when it has ended, even if programs that it started still hold its output.
  public func waitForExit() async throws -> Exit {
    let end = try await progress.wait(for: "\(name) to end") { $0.exit != nil }
    return end.exit ?? .exited(-1)
  }

  /// Returns when it has ended and all of its output was read.
  public func wait(timeoutSeconds: Double = 60) async throws -> Result {
    let end = try await progress.wait(for: "\(name) to end", timeoutSeconds: timeoutSeconds) {
      $0.exit != nil && $0.openPipes == 0
    }
    return Result(exit: end.exit ?? .exited(-1), output: end.output, errors: end.errors)
  }

  /// Returns when standard output or standard error holds that text.
  public func waitForOutput(_ text: String) async throws {
    let wanted = Data(text.utf8)
    _ = try await progress.wait(for: "\(name) to write \(text)") {
      $0.output.range(of: wanted) != nil || $0.errors.range(of: wanted) != nil
    }
  }

  /// Returns when a condition holds for its whole standard output so far.
  public func waitForOutput(
    _ what: String, until isSatisfied: @escaping @Sendable (String) -> Bool
  ) async throws {
    _ = try await progress.wait(for: "\(name) to write \(what)") {
      isSatisfied(String(decoding: $0.output, as: UTF8.self))
    }
  }

  /// Looks at a condition whenever something happens to a file right in a folder, the program writes or it ends.
  ///
  /// - Parameter isSatisfied: Gets the whole standard output so far; must not use this value.
  /// - Returns: True when the condition holds, false if the program has ended without.
  /// - Throws: `ServerError.timedOut` at the deadline.
  public func reaches(
    _ what: String, in folder: String, _ isSatisfied: @escaping @Sendable (_ output: Data) -> Bool
  ) async throws -> Bool {
    let watch = try FolderWatch(folder) { [progress] in progress.update { _ in } }
    defer { withExtendedLifetime(watch) {} }
    let end = try await progress.wait(for: what) {
      isSatisfied($0.output) || $0.exit != nil
    }
    return end.exit == nil || isSatisfied(end.output)
  }

  private static func drain(
    _ descriptor: Int32, into part: any WritableKeyPath<Progress, Data> & Sendable, of progress: Observed<Progress>
  ) {
    var block = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = read(descriptor, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      let data = Data(block[..<count])
      progress.update { $0[keyPath: part].append(data) }
    }
    close(descriptor)
    progress.update { $0.openPipes -= 1 }
  }

  private static func reap(_ identifier: Int32, _ progress: Observed<Progress>) {
    var info = siginfo_t()
    // Waits without reaping: the number stays taken until the end is recorded.
    while waitid(P_PID, id_t(identifier), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
    progress.update { progress in
      var status: Int32 = 0
      while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
      progress.exit = Exit(waitStatus: status)
    }
  }
}
