import Foundation
import Glibc
import LoopbackServer
import TestSupport

/// A program in a terminal of its own, whose screen can be read, whose window can be resized and whose keys pressed.
final class PseudoTerminal: Sendable {
  /// What is known so far.
  struct Progress: Sendable {
    var screen: Screen
    var raw = Data()
    var isClosed = false
    var exit: ChildProcess.Exit?
  }

  let identifier: Int32
  private let leader: Int32
  private let progress: Observed<Progress>

  private static let columns = 80
  private static let lines = 24

  /// Starts a program as the leader of a session whose terminal has 80 columns and 24 lines.
  init(_ path: String, _ arguments: [String], environment: [String: String], folder: String) throws {
    // posix_openpt(3), unlockpt(3) and ptsname(3) are this, and Swift does not import them. See ioctl_tty(2).
    leader = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (unlocked, number): (Int32, Int32) = (0, 0)
    let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    guard leader >= 0, ioctl(leader, setLock, &unlocked) == 0, ioctl(leader, getNumber, &number) == 0 else {
      throw TestSupportError.system(call: "open /dev/ptmx", code: errno)
    }
    Self.setSize(leader, Self.columns, Self.lines)
    let progress = Observed(Progress(screen: Screen(columns: Self.columns)))
    self.progress = progress
    let variables = ["TERM": "xterm", "NO_COLOR": "1"].merging(environment) { $1 }.map { "\($0.key)=\($0.value)" }
    identifier = try Self.spawn(["/usr/bin/env", "-C", folder] + variables + [path] + arguments, "/dev/pts/\(number)")
    let (leader, identifier) = (leader, identifier)
    Thread.detachNewThread { Self.drain(leader, progress) }
    Thread.detachNewThread {
      var status: Int32 = 0
      while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
      let exit = ChildProcess.Exit(waitStatus: status)
      progress.update { $0.exit = exit }
    }
  }

  deinit {
    if progress.value.exit == nil { kill(identifier, SIGKILL) }
    close(leader)
  }

  var screen: Screen { progress.value.screen }
  var raw: Data { progress.value.raw }

  /// Whether keys that are pressed are shown.
  var showsTyping: Bool {
    var settings = termios()
    return tcgetattr(leader, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }

  func press(_ key: Character) {
    var bytes = Array(String(key).utf8)
    _ = write(leader, &bytes, bytes.count)
  }

  func resize(columns: Int, lines: Int) {
    progress.update { $0.screen.resize(columns: columns) }
    Self.setSize(leader, columns, lines)
  }

  /// Returns the screen as soon as it satisfies something.
  @discardableResult
  func wait(for what: String, until isSatisfied: @escaping @Sendable (Screen) -> Bool) async throws -> Screen {
    try await progress.wait(for: what) { isSatisfied($0.screen) || $0.isClosed }.screen
  }

  /// Returns when the program has ended and all its output is there.
  func end() async throws -> ChildProcess.Exit? {
    try await progress.wait(for: "the program to end") { $0.exit != nil && $0.isClosed }.exit
  }

  private static func setSize(_ descriptor: Int32, _ columns: Int, _ lines: Int) {
    var size = winsize(ws_row: UInt16(lines), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
  }

  private static func drain(_ leader: Int32, _ progress: Observed<Progress>) {
    let descriptor = dup(leader)
    var block = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &block, block.count)
      if count < 0, errno == EINTR { continue }
      // EIO: the last process has closed the terminal.
      guard count > 0 else { break }
      let data = Data(block[..<count])
      progress.update {
        $0.raw.append(data)
        $0.screen.write(data)
      }
    }
    close(descriptor)
    progress.update { $0.isClosed = true }
  }

  private static func spawn(_ words: [String], _ terminal: String) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that the leader of a new session opens becomes its own.
    posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    let newSession: Int32 = 0x80  // POSIX_SPAWN_SETSID
    let names = words.map { strdup($0) } + [nil]
    defer { for name in names { free(name) } }
    var identifier: pid_t = 0
    let code = withSpawnAttributes(flags: newSession) {
      posix_spawn(&identifier, words[0], &actions, $0, names, environ)
    }
    guard code == 0 else { throw TestSupportError.system(call: "posix_spawn", code: code) }
    return identifier
  }
}
