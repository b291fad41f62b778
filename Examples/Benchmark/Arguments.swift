import Foundation

/// A command line that makes no sense; carries why.
struct UsageError: Error {
  let reason: String
}

/// What the command line asks for.
enum Arguments: Equatable {
  case measure(Options)
  /// Writes the page again from a report.
  case render(report: String, catalogue: String?)
  /// Counts costs and adds them to a report.
  case costs(report: String, catalogue: String?)
  /// What the benchmark runs in its further processes.
  case client(String)
  case help

  struct Options: Equatable {
    var workloads: [Workload] = Workload.allCases
    var rounds = 9
    var scale = 1.0
    var countsCosts = true
    /// Where the JSON file goes.
    var json = "benchmarks.json"
    /// The DocC catalogue to write into.
    var catalogue: String?
    /// Where files are served from and written to.
    var folder: String?
  }

  static let usage = """
    usage: download-bench [WORKLOAD...] [--rounds N] [--scale FACTOR] [--quick] [--no-costs]
                          [--json FILE] [--write-docs CATALOGUE] [--folder DIRECTORY]
           download-bench render FILE [--write-docs CATALOGUE]
           download-bench costs FILE [--write-docs CATALOGUE]
           download-bench --help

    Measures downloads from an nginx of its own on loopback: this library and its peers in turn, as whole processes.
    A program that is not installed is left out. Use a release build.

    \(Workload.allCases.map { "  \($0.letter)  \($0.rawValue): \($0.title(Sizes(scale: 1)))" }.joined(separator: "\n"))

      --rounds N      how often each program runs, after once to warm up; 9 if not given
      --scale FACTOR  of all sizes and counts; 1 if not given
      --quick         tiny sizes and one round: whether it works, not how fast it is
      --no-costs      without counting system calls and allocations, which strace and valgrind do where they are installed
      --json FILE     where the results go; benchmarks.json if not given
      --write-docs    writes the page and its chart into a DocC catalogue
      --folder        where the files lie; /dev/shm where there is room, else the temporary directory
      render          prints the tables of results again
      costs           counts system calls and allocations and adds them to results
    """

  /// Reads the arguments after the program's name.
  static func parse(_ arguments: [String]) throws(UsageError) -> Arguments {
    switch arguments.first {
    case "--help", "-h": return .help
    case "client" where arguments.count == 2: return .client(arguments[1])
    case "render", "costs":
      guard arguments.count == 2 || arguments.count == 4 && arguments[2] == "--write-docs" else {
        throw UsageError(reason: "\(arguments[0]) needs one file")
      }
      let catalogue = arguments.count == 4 ? arguments[3] : nil
      if arguments[0] == "costs" { return .costs(report: arguments[1], catalogue: catalogue) }
      return .render(report: arguments[1], catalogue: catalogue)
    default: return .measure(try parseOptions(arguments))
    }
  }

  private static func parseOptions(_ arguments: [String]) throws(UsageError) -> Options {
    var options = Options()
    var workloads: [Workload] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--quick": (options.scale, options.rounds, options.countsCosts) = (1.0 / 1024, 1, false)
      case "--no-costs": options.countsCosts = false
      case _ where argument.hasPrefix("--"):
        guard let value = rest.popFirst(), !value.isEmpty else {
          throw UsageError(reason: "\(argument) needs a value")
        }
        try options.set(argument, value)
      default:
        guard let workload = Workload(name: argument) else {
          throw UsageError(reason: "there is no workload \(argument)")
        }
        workloads.append(workload)
      }
    }
    if !workloads.isEmpty { options.workloads = workloads }
    return options
  }
}

extension Arguments.Options {
  fileprivate mutating func set(_ name: String, _ value: String) throws(UsageError) {
    switch name {
    case "--rounds":
      guard let number = Int(value), (1...1000).contains(number) else {
        throw UsageError(reason: "--rounds needs a number from 1 to 1000")
      }
      rounds = number
    case "--scale":
      guard let number = Double(value), number > 0, number <= 16 else {
        throw UsageError(reason: "--scale needs a number above 0, and at most 16")
      }
      scale = number
    case "--json": json = value
    case "--write-docs": catalogue = value
    case "--folder": folder = value
    default: throw UsageError(reason: "unknown option \(name)")
    }
  }
}
