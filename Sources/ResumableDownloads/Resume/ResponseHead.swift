import Foundation

/// The status line and header fields of one final response: all that is known before its body is touched.
///
/// A head is made from whatever a server sent. Nothing in it is trusted; each property below reads one field and says
/// "absent", "invalid" or a checked value.
struct ResponseHead: Sendable, Equatable {
  /// The URL that answered, exactly as it was asked.
  var url: String
  /// The three-digit status code.
  var status: Int
  /// The protocol version as the status line spells it: `HTTP/1.1`, `HTTP/2`.
  var version: String
  /// The reason phrase; empty where there is none, as in HTTP/2.
  var reason: String
  /// The header fields in the order received.
  var fields: [HeaderField]

  /// More fields than any honest server sends; beyond it the head is refused rather than read in part, since the part
  /// left out could be the one that matters.
  static let maximumFieldCount = 2_000
  /// Just above libcurl's own limit of 300 KiB for all header fields of one response.
  static let maximumByteCount = 512 * 1024

  /// Every value of a field, in the order received. Empty when the field is absent.
  func values(_ name: String) -> [String] {
    var found: [String] = []
    // By index: a loop over the elements would copy each of them.
    for index in fields.indices where fields[index].isNamed(name) { found.append(fields[index].value) }
    return found
  }

  /// The values of a field joined with a comma (RFC 9110 section 5.3), or nil when the field is absent.
  func value(_ name: String) -> String? {
    singleValue(name, orOf: { $0 })
  }

  /// As `value(_:)`, with repeated equal values counted once. Proxies often add a second copy of a field.
  func distinctValue(_ name: String) -> String? {
    singleValue(name) { all in
      var distinct: [String] = []
      for value in all where !distinct.contains(where: { FieldSyntax.sameOctets($0, value) }) {
        distinct.append(value)
      }
      return distinct
    }
  }

  /// The value of a field that is there once, as nearly all are; of one that is there several times those that
  /// `selection` keeps, joined.
  private func singleValue(_ name: String, orOf selection: ([String]) -> [String]) -> String? {
    guard let first = fields.indices.first(where: { fields[$0].isNamed(name) }) else { return nil }
    guard fields.indices[(first + 1)...].contains(where: { fields[$0].isNamed(name) }) else {
      return fields[first].value
    }
    return selection(values(name)).joined(separator: ", ")
  }
}

extension ResponseHead {
  /// Reads a head.
  ///
  /// The status line must be exact (RFC 9112 section 4). A line that is not a field is left out. A continuation line
  /// joins the field before it (RFC 9112 section 5.2): dropping it would leave a shorter value that may look valid.
  /// - Returns: nil for a bad status line and for a head beyond the size limits.
  static func parse(statusLine: String, fieldLines: [String], url: String) -> ResponseHead? {
    let size = fieldLines.reduce(statusLine.utf8.count) { $0 &+ $1.utf8.count }
    guard fieldLines.count <= maximumFieldCount, size <= maximumByteCount else { return nil }
    guard var head = ResponseHead(statusLine: withoutLineEnd(statusLine), url: url) else { return nil }
    head.fields.reserveCapacity(fieldLines.count)
    for line in unfolded(fieldLines) {
      if let field = HeaderField(line: line) { head.fields.append(field) }
    }
    return head
  }

  /// Reads `HTTP/1.1 200 OK`, with or without the reason.
  private init?(statusLine: String, url: String) {
    guard let space = statusLine.utf8.firstIndex(of: 0x20) else { return nil }
    let version = String(statusLine[..<space])
    let rest = Substring(statusLine.utf8[space...].dropFirst())
    let digits = Substring(rest.utf8.prefix { $0 != 0x20 })
    guard Self.isVersion(version), digits.utf8.count == 3 else { return nil }
    guard let code = FieldSyntax.number(digits), (100...999).contains(code) else { return nil }
    let reason = FieldSyntax.trimmed(rest[digits.endIndex...])
    guard !FieldSyntax.hasControlCharacters(reason) else { return nil }
    self.init(url: url, status: Int(code), version: version, reason: reason, fields: [])
  }

  /// Whether the text is `HTTP/` with one digit, or two with a dot between them.
  private static func isVersion(_ text: String) -> Bool {
    if text == "HTTP/1.1" { return true }
    let bytes = Array(text.utf8)
    guard bytes.starts(with: "HTTP/".utf8) else { return false }
    let numbers = bytes.dropFirst(5).split(separator: 0x2E, omittingEmptySubsequences: false)
    return numbers.count <= 2 && numbers.allSatisfy { $0.count == 1 && $0.allSatisfy { (0x30...0x39).contains($0) } }
  }

  /// The lines with each continuation joined to the line it continues.
  private static func unfolded(_ lines: [String]) -> [String] {
    guard !lines.allSatisfy(isPlain) else { return lines }
    var joined: [String] = []
    joined.reserveCapacity(lines.count)
    for line in lines.map(withoutLineEnd) {
      guard let first = line.utf8.first, FieldSyntax.isWhitespace(first) else {
        joined.append(line)
        continue
      }
      // A continuation with nothing before it belongs to no field.
      guard let last = joined.indices.last else { continue }
      joined[last] += " " + FieldSyntax.trimmed(line)
    }
    return joined
  }

  /// Whether the line stands for itself and has no line end, as nearly all do.
  private static func isPlain(_ line: String) -> Bool {
    guard let first = line.utf8.first, let last = line.utf8.last else { return true }
    return !FieldSyntax.isWhitespace(first) && last != 0x0A && last != 0x0D
  }

  /// The line without the CR and LF at its end. Any that remain inside make the line unusable.
  private static func withoutLineEnd(_ line: String) -> String {
    guard line.utf8.last == 0x0A || line.utf8.last == 0x0D else { return line }
    var bytes = line.utf8[...]
    if bytes.last == 0x0A { bytes.removeLast() }
    if bytes.last == 0x0D { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}
