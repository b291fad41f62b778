import Foundation

extension Options.Header {
  /// Reads `Name: value`. Line ends would be fields of their own, so they are refused (RFC 9110, section 5.5).
  init(_ text: String) throws(UsageError) {
    guard let colon = text.firstIndex(of: ":") else {
      throw UsageError(reason: "-H needs 'NAME: VALUE', not \(text)")
    }
    name = String(text[..<colon])
    value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    let isToken = !name.isEmpty && name.utf8.allSatisfy(Self.isTokenByte)
    guard isToken, value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F || $0 == "\t" }) else {
      throw UsageError(reason: "-H got a field that HTTP does not allow")
    }
  }

  /// RFC 9110, section 5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

extension Options.Credentials {
  /// Reads `user` or `user:password`; the password may hold colons (RFC 7617, section 2).
  init(_ text: String) throws(UsageError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    user = String(parts[0])
    password = parts.count > 1 ? String(parts[1]) : nil
    let hasControls = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    guard !user.isEmpty, !hasControls else { throw UsageError(reason: "-u needs USER or USER:PASSWORD") }
  }

  /// The value of an Authorization field.
  var authorization: String {
    "Basic " + Data("\(user):\(password ?? "")".utf8).base64EncodedString()
  }
}
