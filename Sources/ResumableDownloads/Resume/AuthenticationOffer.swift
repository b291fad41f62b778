import Foundation

/// One way of authentication that a server offers with a 401 (RFC 9110 section 11.6.1).
struct AuthenticationOffer: Sendable, Equatable {
  enum Scheme: Sendable, Equatable {
    case basic
    case digest
  }

  var scheme: Scheme
  /// Names the part of the server that the credentials are for (RFC 9110 section 11.5).
  var realm: String

  /// No honest field is longer; the rest is not looked at.
  static let maximumByteCount = 16 * 1024

  /// The offers that can be answered, the better one first: a digest does not send the password.
  static func offers(in head: ResponseHead) -> [AuthenticationOffer] {
    guard head.status == 401, let text = head.value("WWW-Authenticate") else { return [] }
    let all = parse(text)
    return all.filter { $0.scheme == .digest } + all.filter { $0.scheme == .basic }
  }

  /// Reads a field value. Unknown schemes are left out; a digest of an algorithm that libcurl lacks is too.
  static func parse(_ text: String) -> [AuthenticationOffer] {
    challenges(Array(text.utf8.prefix(maximumByteCount))).compactMap { scheme, parameters in
      let realm = parameters["realm"] ?? ""
      switch scheme.lowercased() {
      case "basic": return AuthenticationOffer(scheme: .basic, realm: realm)
      case "digest":
        guard parameters["nonce"] != nil else { return nil }
        let known = ["md5", "md5-sess", "sha-256", "sha-256-sess"]
        guard known.contains(parameters["algorithm"]?.lowercased() ?? "md5") else { return nil }
        return AuthenticationOffer(scheme: .digest, realm: realm)
      default: return nil
      }
    }
  }

  /// The schemes with their parameters. A comma separates both challenges and parameters: a segment that begins with a
  /// word and no equals sign begins a challenge.
  private static func challenges(_ bytes: [UInt8]) -> [(scheme: String, parameters: [String: String])] {
    var result: [(scheme: String, parameters: [String: String])] = []
    for segment in FieldSyntax.segments(bytes, separator: 0x2C) {
      var rest = FieldSyntax.trimmed(String(decoding: segment, as: UTF8.self))
      guard !rest.isEmpty else { continue }
      let word = String(decoding: rest.utf8.prefix { !FieldSyntax.isWhitespace($0) && $0 != 0x3D }, as: UTF8.self)
      let after = FieldSyntax.trimmed(String(decoding: rest.utf8.dropFirst(word.utf8.count), as: UTF8.self))
      if FieldSyntax.isToken(word), !after.hasPrefix("=") {
        result.append((word, [:]))
        rest = after
      }
      guard !result.isEmpty, let equals = rest.utf8.firstIndex(of: 0x3D) else { continue }
      let name = FieldSyntax.trimmed(rest[..<equals]).lowercased()
      let value = FieldSyntax.trimmed(rest[rest.utf8.index(after: equals)...])
      if result[result.count - 1].parameters[name] == nil {
        result[result.count - 1].parameters[name] = FieldSyntax.unquoted(value)
      }
    }
    return result
  }
}
