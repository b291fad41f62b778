import Foundation

/// The file names in a Content-Disposition field (RFC 6266), as the server wrote them: not yet safe to use.
///
/// Reading is tolerant, as RFC 6266 advises: a missing type, stray semicolons and unquoted names do no harm.
struct ContentDisposition: Sendable, Equatable {
  /// The value of `filename*`, decoded.
  private(set) var extendedFilename: String?
  /// The value of `filename`.
  private(set) var filename: String?

  /// No honest field is longer; the rest is not looked at.
  static let maximumByteCount = 16 * 1024

  /// Reads a field value. Of a repeated parameter the first counts.
  init(_ text: String) {
    for segment in FieldSyntax.segments(Array(text.utf8.prefix(Self.maximumByteCount)), separator: 0x3B) {
      guard let equals = segment.firstIndex(of: 0x3D) else { continue }
      let name = FieldSyntax.trimmed(String(decoding: segment[..<equals], as: UTF8.self)).lowercased()
      let value = FieldSyntax.trimmed(String(decoding: segment[(equals + 1)...], as: UTF8.self))
      switch name {
      case "filename": filename = filename ?? FieldSyntax.unquoted(value)
      case "filename*": extendedFilename = extendedFilename ?? Self.extendedValue(FieldSyntax.unquoted(value))
      default: break
      }
    }
  }

  /// Decodes `UTF-8'en'na%C3%AFve.txt` (RFC 8187 section 3.2). Nil for other character sets and broken escapes; then
  /// the plain parameter is used.
  private static func extendedValue(_ text: String) -> String? {
    let parts = text.utf8.split(separator: 0x27, maxSplits: 2, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard parts.count == 3, let bytes = PercentEncoding.decode(parts[2]) else { return nil }
    switch parts[0].lowercased() {
    case "utf-8": return String(validating: bytes, as: UTF8.self)
    // Each byte of ISO 8859-1 is the Unicode scalar of the same number.
    case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    default: return nil
    }
  }
}

/// Percent-encoding (RFC 3986 section 2.1).
enum PercentEncoding {
  /// The bytes behind the text, or nil when a percent sign is not followed by two hexadecimal digits.
  static func decode(_ text: String) -> [UInt8]? {
    var (result, rest) = ([UInt8](), text.utf8[...])
    while let byte = rest.popFirst() {
      guard byte == 0x25 else {
        result.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
      result.append(high << 4 | low)
    }
    return result
  }

  /// The value of a hexadecimal digit.
  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}
