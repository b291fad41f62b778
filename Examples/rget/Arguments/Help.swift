/// The text of `rget --help`, made of the same table that reads the options.
enum Help {
  static let synopsis = """
    usage: rget [OPTION...] URL...
           rget [OPTION...] -i LIST
           rget list [DIR] | inspect FILE | clean [DIR] | demo
    """

  static var text: String {
    """
    \(synopsis)

    Downloads each URL. The same command again continues what an earlier run has
    left, even one that was killed, and leaves complete files alone.

    \(table(OptionTable.all.map { ($0.synopsis, $0.help) }))

    Flags are turned off again with --no-NAME. Options may stand anywhere; -- ends
    them.

    \(table(subcommands))

    Examples:

    \(HelpExamples.all.map { "  \($0)" }.joined(separator: "\n"))

    Exit status:

    \(table(ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) } + [("130, 143", signals)]))
    """
  }

  private static let signals = "stopped by SIGINT, SIGTERM; likewise 129 by SIGHUP and 141 by a closed pipe"

  private static let subcommands = [
    ("list [DIR]", "what was begun there and is not complete: URL, bytes, percentage, age"),
    ("inspect FILE", "what is in resume data, in plain words"),
    ("clean [DIR]", "removes what was begun there and is not complete"),
    ("demo", "downloads 64 MiB from a server of its own in three processes, one of them killed on the way"),
  ]

  /// Columns of a terminal that nobody has widened.
  private static let width = 80
  /// Where the second column of a table begins.
  private static let column = 28

  /// Two columns, the second one wrapped.
  private static func table(_ rows: [(String, String)]) -> String {
    rows.map { name, text in
      let lines = wrap(text, width: width - column)
      let indent = String(repeating: " ", count: column)
      let first = "  " + name
      let isShort = first.count <= column - 2
      let head = isShort ? first.padding(to: column) + (lines.first ?? "") : first
      return ([head] + lines.dropFirst(isShort ? 1 : 0).map { indent + $0 }).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  private static func wrap(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

/// The examples of the help and of the documentation.
enum HelpExamples {
  static let all = [
    "rget https://example.org/large.iso",
    "rget -o image.iso --checksum sha256:HEX https://example.org/large.iso",
    "rget -d downloads -j 8 -i list.txt --checksum-file SHA256SUMS",
    "rget -u ana:secret -H 'X-Team: blue' https://example.org/private.zip",
    "rget --json --quiet https://example.org/a.zip https://example.org/b.zip",
    "rget list downloads",
  ]
}

extension String {
  /// The text with blanks behind it up to `count` characters.
  fileprivate func padding(to count: Int) -> String {
    self + String(repeating: " ", count: max(0, count - self.count))
  }
}
