import Foundation

/// What a run is to fetch, in order, and under which names.
struct Plan: Equatable, Sendable {
  private(set) var entries: [Entry] = []
  /// What the user did not ask for like that, as sentences.
  private(set) var notes: [String] = []

  /// Gives every URL a place. The same URLs in the same order always get the same names.
  init(urls: [URLList.Line], output: String? = nil, directory: String? = nil) throws(UsageError) {
    var names: Set<String> = []
    var seen: [URLList.Line] = []
    for line in urls where !seen.contains(line) {
      seen.append(line)
      let place = try Self.place(line, output: output, directory: directory ?? ".")
      var name = place.name
      if place.isFixed {
        guard names.insert(name).inserted else { throw UsageError(reason: "two URLs have the name \(name)") }
      } else {
        var number = 1
        while !names.insert(name).inserted {
          number += 1
          name = FileName.numbered(place.name, number)
        }
        if number > 1 {
          notes.append(
            "\(Masked.url(line.url)) becomes \(name) unless the server names it, "
              + "because \(place.name) is taken in this list"
          )
        }
      }
      entries.append(
        Entry(
          number: entries.count, url: line.url, directory: place.directory, name: name, isNameFixed: place.isFixed))
    }
  }

  private static func place(
    _ line: URLList.Line, output: String?, directory: String
  ) throws(UsageError) -> (directory: String, name: String, isFixed: Bool) {
    if let output {
      // Elsewhere it stands for standard output, which cannot be continued.
      guard output != "-" else { throw UsageError(reason: "-o writes files only; ./- is one of that name") }
      let name = PathText.name(output)
      guard !name.isEmpty, ![".", ".."].contains(name), name.utf8.count <= 200 else {
        throw UsageError(reason: "-o needs the name of a file, not \(output)")
      }
      return (PathText.folder(output), name, true)
    }
    if let name = line.name { return (directory, name, true) }
    return (directory, FileName.from(line.url) ?? FileName.fallback, false)
  }

  /// Reads the lists and joins them with the URLs of the command line.
  static func make(_ options: Options) throws(UsageError) -> Plan {
    var lines: [URLList.Line] = []
    for text in options.urls { lines.append(URLList.Line(url: try URLList.url(text))) }
    for list in options.lists { lines += try URLList.parse(try InputFile.text(list), source: list) }
    guard !lines.isEmpty else { throw UsageError(reason: "the list holds no URL") }
    return try Plan(urls: lines, output: options.output, directory: options.directory)
  }
}
