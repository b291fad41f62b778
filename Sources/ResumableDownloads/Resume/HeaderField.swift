import Foundation

/// One header field, as it was sent or received.
struct HeaderField: Sendable, Equatable, Codable {
  /// The name. Names compare without regard to case (RFC 9110 section 5.1).
  var name: String
  /// The value, without surrounding whitespace.
  var value: String

  /// Whether the field has this name.
  func isNamed(_ other: String) -> Bool { FieldSyntax.sameIgnoringCase(name, other) }

  /// Whether the field can be sent: a token as name, and a value that cannot start another line.
  var isWellFormed: Bool { FieldSyntax.isToken(name) && !FieldSyntax.hasControlCharacters(value) }
}

extension HeaderField {
  /// Reads `name: value`. Nil for anything else, including whitespace before the colon, which RFC 9112 section 5.1
  /// forbids because readers disagree about what it means.
  init?(line: some StringProtocol) {
    guard let colon = line.utf8.firstIndex(of: 0x3A) else { return nil }
    let name = String(decoding: line.utf8[..<colon], as: UTF8.self)
    let rest = line.utf8[colon...].dropFirst()
    self.init(name: name, value: FieldSyntax.trimmed(String(decoding: rest, as: UTF8.self)))
    guard isWellFormed else { return nil }
  }
}
