import Foundation

/// Writing to the standard streams; a closed stream is ignored, because there is nobody left to tell.
enum Output {
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

  /// The columns of the terminal, 80 if unknown.
  static var width: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
