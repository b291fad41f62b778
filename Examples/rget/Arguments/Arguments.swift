/// A command line that makes no sense; carries why, as a sentence without its full stop.
struct UsageError: Error, Equatable {
  let reason: String
}

/// What the command line asks for.
enum Arguments: Equatable, Sendable {
  case get(Options)
  case list(directory: String)
  case inspect(file: String)
  case clean(directory: String)
  case demo
  /// What `rget demo` runs in its further processes.
  case demoContinue(blob: String, directory: String)
  case completions(Shell)
  case help
  case version

  /// Reads the arguments after the program's name.
  static func parse(_ arguments: [String]) throws(UsageError) -> Arguments {
    if let first = arguments.first, let command = Subcommand(rawValue: first) {
      return try command.parse(Array(arguments.dropFirst()))
    }
    var parser = ArgumentParser(arguments)
    if let answer = try parser.parse() { return answer }
    try parser.options.check()
    return .get(parser.options)
  }
}

/// The words that stand in the place of a URL. No URL looks like one of them.
enum Subcommand: String, CaseIterable {
  case list
  case inspect
  case clean
  case demo
  case demoContinue = "demo-continue"

  fileprivate func parse(_ rest: [String]) throws(UsageError) -> Arguments {
    if rest.contains("--help") || rest.contains("-h") { return .help }
    // Nothing here has options, so what looks like one is a mistake, except behind `--`.
    let operands = rest.first == "--" ? Array(rest.dropFirst()) : rest
    if rest.first != "--", let option = rest.first(where: { $0.hasPrefix("-") && $0 != "-" }) {
      throw UsageError(reason: "rget \(rawValue) has no option \(option)")
    }
    switch (self, operands.count) {
    case (.list, 0...1): return .list(directory: operands.first ?? ".")
    case (.clean, 0...1): return .clean(directory: operands.first ?? ".")
    case (.inspect, 1): return .inspect(file: operands[0])
    case (.inspect, 0): throw UsageError(reason: "rget inspect needs a file")
    case (.demo, 0): return .demo
    case (.demoContinue, 2): return .demoContinue(blob: operands[0], directory: operands[1])
    default: throw UsageError(reason: "rget \(rawValue) got too many arguments")
    }
  }
}
