import Foundation

/// The few pieces of HTTP field syntax (RFC 9110 section 5) that the types of this folder share.
///
/// All of it works on bytes. A `Character` can hide a comma or a line feed behind a combining mark, so comparing
/// characters would let a hostile value through.
enum FieldSyntax {
  /// Optional whitespace: a space or a horizontal tab (RFC 9110 section 5.6.3).
  static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// The text without optional whitespace at either end.
  static func trimmed(_ text: String) -> String {
    guard let first = text.utf8.first, let last = text.utf8.last, isWhitespace(first) || isWhitespace(last) else {
      return text
    }
    return trimmed(text[...])
  }

  static func trimmed(_ text: Substring) -> String { String(decoding: trimmed(text.utf8), as: UTF8.self) }

  /// The bytes without optional whitespace at either end.
  static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes where Bytes.SubSequence == Bytes {
    var bytes = bytes
    while let first = bytes.first, isWhitespace(first) { bytes.removeFirst() }
    while let last = bytes.last, isWhitespace(last) { bytes.removeLast() }
    return bytes
  }

  /// Whether the text is a token (RFC 9110 section 5.6.2), as field names and methods must be.
  static func isToken(_ text: some StringProtocol) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { isToken($0) } ?? isToken(text.utf8)
  }

  static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy(isTokenByte)
  }

  /// Whether the text holds a control character other than a tab. Such a value can split a message (RFC 9110 section
  /// 5.5), so it is neither believed nor sent.
  static func hasControlCharacters(_ text: some StringProtocol) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { hasControlCharacters($0) } ?? hasControlCharacters(text.utf8)
  }

  static func hasControlCharacters(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
  }

  /// The value of `1*DIGIT`, or nil when there is anything else in the text or the number does not fit.
  static func number(_ text: some StringProtocol) -> Int64? {
    guard !text.isEmpty else { return nil }
    var value: Int64 = 0
    for byte in text.utf8 {
      guard (0x30...0x39).contains(byte) else { return nil }
      let (tens, tensOverflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, sumOverflow) = tens.addingReportingOverflow(Int64(byte - 0x30))
      if tensOverflow || sumOverflow { return nil }
      value = sum
    }
    return value
  }

  /// The text cut at a byte, each piece trimmed. Empty pieces stay, so that a caller can refuse them.
  static func pieces(_ text: some StringProtocol, separator: UInt8) -> [String] {
    text.utf8.split(separator: separator, omittingEmptySubsequences: false).map {
      trimmed(String(decoding: $0, as: UTF8.self))
    }
  }

  /// The elements of a comma-separated list; empty ones do not count (RFC 9110 section 5.6.1.2).
  static func listElements(_ text: some StringProtocol) -> [String] {
    pieces(text, separator: 0x2C).filter { !$0.isEmpty }
  }

  /// Whether two texts are the same octets. `==` on `String` would also take different spellings of one accented
  /// letter for equal, and validators compare octet by octet (RFC 9110 section 8.8.3.2).
  static func sameOctets(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }

  /// Whether two texts differ in the case of ASCII letters at most, as names may (RFC 9110 section 5.1).
  static func sameIgnoringCase(_ one: String, _ other: String) -> Bool {
    guard one.utf8.count == other.utf8.count else { return false }
    var (one, other) = (one, other)
    return one.withUTF8 { one in
      other.withUTF8 { other in
        one.indices.allSatisfy { one[$0] == other[$0] || lowered(one[$0]) == lowered(other[$0]) }
      }
    }
  }

  private static func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

  /// The bytes cut at separators that are not inside quotes.
  static func segments(_ bytes: [UInt8], separator: UInt8) -> [ArraySlice<UInt8>] {
    var (result, start) = ([ArraySlice<UInt8>](), 0)
    var (isQuoted, isEscaped) = (false, false)
    for (index, byte) in bytes.enumerated() {
      if isEscaped {
        isEscaped = false
      } else if isQuoted && byte == 0x5C {
        isEscaped = true
      } else if byte == 0x22 {
        isQuoted.toggle()
      } else if byte == separator && !isQuoted {
        result.append(bytes[start..<index])
        start = index + 1
      }
    }
    result.append(bytes[start...])
    return result
  }

  /// The text of a quoted string (RFC 9110 section 5.6.4), or the token as it is. A backslash counts as an escape only
  /// before a quote or another backslash: some servers send Windows paths.
  static func unquoted(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.first == 0x22 else { return text }
    var (result, isEscaped) = ([UInt8](), false)
    for byte in bytes.dropFirst() {
      if isEscaped {
        if byte != 0x22 && byte != 0x5C { result.append(0x5C) }
        result.append(byte)
        isEscaped = false
      } else if byte == 0x5C {
        isEscaped = true
      } else if byte == 0x22 {
        break
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// One byte of a token.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
    default: false
    }
  }
}
