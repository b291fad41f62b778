import Foundation

/// A list of URLs, one a line, each with a file name behind it if wanted.
enum URLList {
  struct Line: Equatable, Sendable {
    var url: URL
    var name: String?
  }

  /// Reads the text of a list; `source` is its name for messages.
  static func parse(_ text: String, source: String) throws(UsageError) -> [Line] {
    var lines: [Line] = []
    // Some editors begin a file with a byte order mark.
    let content = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
    let rows = content.split(omittingEmptySubsequences: false) { $0.isNewline }
    for (index, row) in rows.enumerated() {
      let words = row.trimmingCharacters(in: .whitespaces)
      if words.isEmpty || words.hasPrefix("#") { continue }
      let parts = words.split(maxSplits: 1) { $0 == " " || $0 == "\t" }
      let place = "\(source), line \(index + 1): "
      let name = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : nil
      if let name, !FileName.isSafe(name) { throw UsageError(reason: "\(place)\(name) cannot be a file's name") }
      do throws(UsageError) {
        lines.append(Line(url: try url(String(parts[0])), name: name))
      } catch {
        throw UsageError(reason: place + error.reason)
      }
    }
    return lines
  }

  /// The http or https URL that a text is.
  static func url(_ text: String) throws(UsageError) -> URL {
    if let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false {
      return url
    }
    let isBare = !text.contains("://") && text.contains(".") && !text.hasPrefix("/")
    let hint = isBare && URL(string: "https://\(text)")?.host != nil ? "; did you mean https://\(text)?" : ""
    throw UsageError(reason: "\(text) is not an http or https URL" + hint)
  }
}
