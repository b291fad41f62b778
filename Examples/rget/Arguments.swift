import Foundation

/// A command line that makes no sense; carries why.
struct UsageError: Error {
  let reason: String
}

/// What the command line asks for.
enum Arguments: Equatable {
  case get(url: URL, destination: URL)
  case demo
  /// What `rget demo` runs in its further processes.
  case demoContinue(blob: URL, directory: URL)
  case help
  case version

  static let usage = """
    usage: rget URL [-o FILE | -d DIRECTORY]
           rget demo
           rget --help | --version

    Downloads URL. The same command again continues what an earlier run left, even one that was killed.

      -o FILE       where to put the file; must not exist yet
      -d DIRECTORY  where to put it under the last part of the URL's path; the working directory if not given
      demo          downloads 64 MiB from a server of its own in three processes, one of them killed on the way

    Exit status: 0 the file is complete, 1 it is not, 2 wrong usage, 130 or 143 stopped by SIGINT or SIGTERM.
    """

  /// Reads the arguments after the program's name.
  static func parse(_ arguments: [String]) throws(UsageError) -> Arguments {
    switch arguments.first {
    case nil: throw UsageError(reason: "a URL is missing")
    case "--help", "-h": return .help
    case "--version": return .version
    case "demo" where arguments.count == 1: return .demo
    case "demo-continue" where arguments.count == 3:
      return .demoContinue(
        blob: URL(fileURLWithPath: arguments[1]), directory: URL(fileURLWithPath: arguments[2], isDirectory: true))
    default: return try parseDownload(arguments)
    }
  }

  private static func parseDownload(_ arguments: [String]) throws(UsageError) -> Arguments {
    var text: String?
    var options: [String: String] = [:]
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": return .help
      case "--version": return .version
      case "-o", "-d":
        guard options.isEmpty else { throw UsageError(reason: "only one of -o and -d can be given, and only once") }
        guard let value = rest.popFirst(), !value.isEmpty else {
          throw UsageError(reason: "\(argument) needs a value")
        }
        options[argument] = value
      case _ where argument.hasPrefix("-"): throw UsageError(reason: "unknown option \(argument)")
      case _ where text != nil: throw UsageError(reason: "one URL at a time, please")
      default: text = argument
      }
    }
    guard let text else { throw UsageError(reason: "a URL is missing") }
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false
    else { throw UsageError(reason: "\(text) is not an http or https URL") }
    if let file = options["-o"] { return .get(url: url, destination: URL(fileURLWithPath: file)) }
    let name = fileName(for: url)
    guard let directory = options["-d"] else { return .get(url: url, destination: URL(fileURLWithPath: name)) }
    return .get(
      url: url, destination: URL(fileURLWithPath: directory, isDirectory: true).appendingPathComponent(name))
  }

  /// The last part of the URL's path if it can safely name a file, else `download`.
  ///
  /// The server chooses the URL as often as the user does, so nothing hidden, nothing with a slash in disguise and no
  /// control characters; the length leaves room for the name of the partial file.
  static func fileName(for url: URL) -> String {
    let path = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedPath ?? ""
    let last = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard let name = String(last).removingPercentEncoding, !name.isEmpty, name.utf8.count <= 200,
      !name.hasPrefix("."), !name.hasPrefix("-"), !name.contains("/"),
      !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else { return "download" }
    return name
  }
}
