import Foundation

/// What the Content-Length fields of a message say (RFC 9110 section 8.6).
enum ContentLength: Sendable, Equatable {
  /// There is none: the body ends where its framing ends.
  case absent
  /// The body has this many bytes.
  case bytes(Int64)
  /// The fields contradict each other or are no number. Where such a body ends is anyone's guess, so it is not used.
  case invalid

  /// Reads all values of the field. Equal repetitions, as separate fields or as a list, are one value; RFC 9110 section
  /// 8.6 allows a recipient to read them so. Signs, inner spaces and numbers that do not fit are invalid.
  init(_ values: [String]) {
    if values.count == 1, let count = FieldSyntax.number(values[0]) {
      self = .bytes(count)
      return
    }
    let texts = values.flatMap { FieldSyntax.pieces($0, separator: 0x2C) }
    guard let first = texts.first else {
      self = .absent
      return
    }
    guard let count = FieldSyntax.number(first), texts.allSatisfy({ FieldSyntax.number($0) == count }) else {
      self = .invalid
      return
    }
    self = .bytes(count)
  }
}
