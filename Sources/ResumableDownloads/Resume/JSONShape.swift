import Foundation

/// A look at JSON text before it is parsed: a parser that recurses must never see a text that nests a hundred thousand
/// times.
struct JSONShape: Sendable, Equatable {
  /// How many objects and arrays are open.
  private var depth = 0
  /// Where the scan stands; brackets inside strings are text.
  private var place = Place.outside

  private enum Place { case outside, inString, afterBackslash }

  /// Whether the text is UTF-8, begins as an object, and nests no deeper than allowed. Whether it is JSON is left to
  /// the parser.
  static func isObject(_ data: Data, maximumDepth: Int) -> Bool {
    guard data.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == 0x7B else { return false }
    // A zero byte would make a parser take the text for UTF-16, in which this scan sees other characters.
    guard !data.contains(0), String(validating: data, as: UTF8.self) != nil else { return false }
    var shape = JSONShape()
    for byte in data {
      shape.read(byte)
      guard (0...maximumDepth).contains(shape.depth) else { return false }
    }
    return true
  }

  /// Moves on by one byte. Bytes of characters beyond ASCII are never mistaken for brackets or quotes, since UTF-8
  /// keeps the two apart.
  private mutating func read(_ byte: UInt8) {
    switch (place, byte) {
    case (.outside, 0x22): place = .inString
    case (.outside, 0x7B), (.outside, 0x5B): depth += 1
    case (.outside, 0x7D), (.outside, 0x5D): depth -= 1
    case (.outside, _): break
    case (.inString, 0x5C): place = .afterBackslash
    case (.inString, 0x22): place = .outside
    case (.inString, _): break
    case (.afterBackslash, _): place = .inString
    }
  }
}
