/// All options, in the order of the help.
enum OptionTable {
  static let all: [OptionDefinition] = places + requests + course + integrity + messages + answers

  private static let places = [
    OptionDefinition(
      "output", short: "o", "the file; only with one URL", completion: .files,
      action: text("FILE") { $0.output = $1 }),
    OptionDefinition(
      "directory", short: "d", "the folder for the files, which must exist; default: the working directory",
      completion: .directories, action: text("DIR") { $0.directory = $1 }),
    OptionDefinition(
      "input", short: "i",
      "reads URLs from a file, or from standard input if it is -; one a line, with a file name behind "
        + "it if wanted; # begins a comment",
      completion: .files, action: text("LIST") { $0.lists.append($1) }),
    OptionDefinition("overwrite", "replaces files that exist", action: .flag { $0.overwrites = $1 }),
    OptionDefinition(
      "fresh", "starts from the beginning, whatever an earlier run has left", action: .flag { $0.isFresh = $1 }),
    OptionDefinition(
      "remote-time", "gives files the time of the server's Last-Modified; on unless --no-remote-time",
      action: .flag { $0.keepsRemoteTime = $1 }),
  ]

  private static let requests = [
    OptionDefinition(
      "header", short: "H", "sends a field with every request",
      action: .value(placeholder: "'NAME: VALUE'") { options, text throws(UsageError) in
        options.headers.append(try Options.Header(text))
      }),
    OptionDefinition(
      "user", short: "u", "logs in; the password is asked for if it is missing",
      action: .value(placeholder: "USER[:PASSWORD]") { options, text throws(UsageError) in
        options.credentials = try Options.Credentials(text)
      }),
    OptionDefinition(
      "netrc", "logs in with what ~/.netrc, or the file that NETRC names, has for the host",
      action: .flag { $0.usesNetrc = $1 }),
    OptionDefinition(
      "proxy", "goes through a proxy, http:// or socks5h://; none ignores those of the environment",
      action: .value(placeholder: "[USER:PASSWORD@]HOST:PORT") { options, text throws(UsageError) in
        options.proxy = try ProxySetting(text)
      }),
    OptionDefinition(
      "cacert", "trusts only the authorities in a PEM file", completion: .files,
      action: text("FILE") { $0.trustAnchors = $1 }),
    OptionDefinition(
      "cert", "shows servers a certificate, in PEM; with --key if its key lies elsewhere", completion: .files,
      action: text("FILE") { $0.certificate = $1 }),
    OptionDefinition("key", "the key of --cert, in PEM", completion: .files, action: text("FILE") { $0.key = $1 }),
  ]

  private static let course = [
    OptionDefinition(
      "jobs", short: "j", "downloads at once; default: 4",
      action: .value(placeholder: "N") { options, text throws(UsageError) in
        options.atOnce = try number(text, in: 1...100, for: "-j")
      }),
    OptionDefinition(
      "limit-rate", "bytes a second for all downloads together; with K, M or G for 1024, 1024² or 1024³",
      action: .value(placeholder: "RATE") { options, text throws(UsageError) in
        options.bytesPerSecond = try ByteRate.parse(text)
      }),
    OptionDefinition(
      "retry", "attempts after a failure that may pass, with growing waits; default: 5",
      action: .value(placeholder: "N") { options, text throws(UsageError) in
        options.retries = try number(text, in: 0...1000, for: "--retry")
      }),
    OptionDefinition(
      "timeout", "how long a server may be silent; default: 60",
      action: .value(placeholder: "SECONDS") { options, text throws(UsageError) in
        guard let seconds = Double(text), seconds.isFinite, (0.1...86400).contains(seconds) else {
          throw UsageError(reason: "--timeout needs seconds from 0.1 to 86400, not \(text)")
        }
        options.timeoutSeconds = seconds
      }),
  ]

  private static let integrity = [
    OptionDefinition(
      "checksum", "what the file must have; HEX of sha256 or sha512",
      action: .value(placeholder: "sha256:HEX") { options, text throws(UsageError) in
        options.checksum = try Checksum(argument: text)
      }),
    OptionDefinition(
      "checksum-file", "the same for every file, from what sha256sum or sha512sum has written",
      completion: .files, action: text("FILE") { $0.checksumFile = $1 }),
  ]

  private static let messages = [
    OptionDefinition("quiet", short: "q", "only says what has failed", action: .flag { $0.isQuiet = $1 }),
    OptionDefinition(
      "verbose", short: "v", "shows what was asked and answered, without secrets", action: .flag { $0.isVerbose = $1 }),
    OptionDefinition(
      "json", "writes events to standard output, one JSON object a line", action: .flag { $0.isJSON = $1 }),
  ]

  private static let answers = [
    OptionDefinition(
      "completions", "writes the completions for bash, zsh or fish",
      completion: .words(Shell.allCases.map(\.rawValue)),
      action: .answerWithValue(placeholder: "SHELL") { text throws(UsageError) in
        guard let shell = Shell(rawValue: text) else {
          throw UsageError(reason: "--completions knows bash, zsh and fish, not \(text)")
        }
        return .completions(shell)
      }),
    OptionDefinition("help", short: "h", "this text", action: .answer(.help)),
    OptionDefinition("version", "the version", action: .answer(.version)),
  ]

  /// A value that may be anything but nothing.
  private static func text(
    _ placeholder: String, _ set: @escaping @Sendable (inout Options, String) -> Void
  ) -> OptionDefinition.Action {
    .value(placeholder: placeholder) { options, text throws(UsageError) in
      guard !text.isEmpty else { throw UsageError(reason: "an empty \(placeholder) makes no sense") }
      set(&options, text)
    }
  }

  private static func number(_ text: String, in range: ClosedRange<Int>, for option: String) throws(UsageError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        reason: "\(option) needs a number from \(range.lowerBound) to \(range.upperBound), not \(text)")
    }
    return number
  }
}
