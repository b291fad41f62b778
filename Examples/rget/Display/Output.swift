import Foundation
import Synchronization

/// Writing to the standard streams.
enum Output {
  private static let brokenPipeHandler = Mutex<(@Sendable () -> Void)?>(nil)
  private static let firstFailure = Mutex<Failure?>(nil)

  /// Called when nobody reads a stream any more, perhaps more than once. Without it, a closed stream is ignored.
  static func onBrokenPipe(_ handler: (@Sendable () -> Void)?) { brokenPipeHandler.withLock { $0 = handler } }

  /// Why a line for other programs is lost, nil as long as none is. That nobody reads any more is no failure.
  static var failure: Failure? { firstFailure.withLock { $0 } }

  /// Gives each standard stream that is closed a descriptor that refuses to be used. Otherwise the next file to be
  /// opened would take its place, and what is meant for the stream would go there.
  static func occupyClosedStreams() {
    // open(2) takes the lowest number that is free.
    for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
      _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Writes a line for other programs.
  static func result(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

  /// Writes a line for people.
  static func message(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

  /// Writes to standard error as it is.
  static func raw(_ text: String) { write(text, to: STDERR_FILENO) }

  /// True if standard error is a terminal that can redraw a line.
  static var isTerminal: Bool {
    isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// True if colours are welcome: see no-color.org.
  static var isColoured: Bool {
    isTerminal && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
  }

  /// The columns and lines of the terminal, 80 and 24 if unknown.
  static var size: (columns: Int, lines: Int) {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  private static func lost(_ descriptor: Int32, _ code: Int32) {
    if code == EPIPE {
      brokenPipeHandler.withLock { $0 }?()
    } else if descriptor == STDOUT_FILENO {
      // Messages for people can be lost: they say nothing that a program depends on.
      firstFailure.withLock { $0 = $0 ?? .system("write to standard output", code: code) }
    }
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return lost(descriptor, errno) }
      rest = rest.dropFirst(count)
    }
  }
}
