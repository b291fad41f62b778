import Foundation

/// A password that the command line left out.
enum Password {
  /// Asks for it on the terminal.
  static func complete(_ options: Options) throws(UsageError) -> Options {
    guard let credentials = options.credentials, credentials.password == nil else { return options }
    guard let password = ask("Password for \(credentials.user): ") else {
      throw UsageError(reason: "-u needs USER:PASSWORD where no terminal can be asked")
    }
    var options = options
    options.credentials?.password = password
    return options
  }

  /// Reads a line that is not shown. Unlike with getpass(3), signals end it, and the terminal shows again what is
  /// typed.
  private static func ask(_ question: String) -> String? {
    var terminal = termios()
    guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &terminal) == 0 else { return nil }
    var silent = terminal
    silent.c_lflag &= ~tcflag_t(ECHO)
    let restore = { @Sendable [terminal] in
      var settings = terminal
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
      Output.message("")
    }
    let signals = Signals {
      restore()
      _exit(128 + $0)
    }
    defer { withExtendedLifetime(signals, restore) }
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    Output.raw(question)
    return readLine()
  }
}
