import Foundation

/// One header field, as it was sent or received.
struct HeaderField: Sendable, Equatable, Codable {
  /// The name. Names compare without regard to case (RFC 9110 section 5.1).
  var name: String
  /// The value, without surrounding whitespace.
  var value: String

  /// Whether the field has this name. Inlined, so that names of another length, as nearly all are, are not even counted
  /// as referred to.
  @inline(__always)
  func isNamed(_ other: String) -> Bool {
    name.utf8.count == other.utf8.count && FieldSyntax.sameIgnoringCase(name, other)
  }

  /// Whether the field can be sent: a token as name, and a value that cannot start another line.
  var isWellFormed: Bool { FieldSyntax.isToken(name) && !FieldSyntax.hasControlCharacters(value) }
}

extension HeaderField {
  /// Reads `name: value`. Nil for anything else, including whitespace before the colon, which RFC 9112 section 5.1
  /// forbids because readers disagree about what it means.
  init?(line: String) {
    var line = line
    let field = line.withUTF8 { bytes -> HeaderField? in
      guard let colon = bytes.firstIndex(of: 0x3A) else { return nil }
      let (name, value) = (bytes[..<colon], FieldSyntax.trimmed(bytes[(colon + 1)...]))
      guard FieldSyntax.isToken(name), !FieldSyntax.hasControlCharacters(value) else { return nil }
      return HeaderField(name: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self))
    }
    guard let field else { return nil }
    self = field
  }
}
