import Foundation

/// The parsed head of a request (RFC 9112, sections 2 to 5). Strict: what a careful server would refuse is nil.
struct RequestHead: Sendable {
  let method: String
  let target: String
  let version: String
  let lines: [String]
  let fields: [(name: String, value: String)]
  let bytes: Data

  /// Parses the bytes up to and including the empty line.
  init?(_ bytes: Data) {
    var lines = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n").split(
      separator: "\n", omittingEmptySubsequences: false)
    // The empty line and what follows its end.
    guard lines.count >= 3, lines.suffix(2).allSatisfy(\.isEmpty) else { return nil }
    lines.removeLast(2)
    let parts = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, ["HTTP/1.1", "HTTP/1.0"].contains(parts[2]) else { return nil }
    guard Self.isToken(parts[0]), !parts[1].isEmpty else { return nil }
    let fields = lines.compactMap(Self.field)
    guard fields.count == lines.count else { return nil }
    (method, target, version) = (parts[0], parts[1], parts[2])
    self.lines = lines.map(String.init)
    self.fields = fields
    self.bytes = bytes
    guard version == "HTTP/1.0" || values("host").count == 1, !Self.hasBareLineEnd(bytes) else { return nil }
  }

  /// The announced length of the body, 0 without one, nil if it cannot be trusted or is not announced by length.
  var bodyLength: Int? {
    guard values("transfer-encoding").isEmpty else { return nil }
    let lengths = values("content-length")
    if lengths.isEmpty { return 0 }
    guard lengths.count == 1, lengths[0].allSatisfy(\.isASCIIDigit) else { return nil }
    return Int(lengths[0])
  }

  var expectsContinue: Bool { values("expect").contains { $0.lowercased() == "100-continue" } }

  private func values(_ name: String) -> [String] { fields.filter { $0.name.lowercased() == name }.map(\.value) }

  private static func field(_ line: Substring) -> (name: String, value: String)? {
    guard let colon = line.firstIndex(of: ":") else { return nil }
    let name = String(line[..<colon])
    let value = line[line.index(after: colon)...].trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
    return isToken(name) ? (name, value) : nil
  }

  /// RFC 9110, section 5.6.2.
  private static func isToken(_ text: String) -> Bool {
    let symbols = Set("!#$%&'*+-.^_`|~".utf8)
    return !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"):
          true
        default: symbols.contains(byte)
        }
      }
  }

  /// A carriage return without its line feed, or the other way round, is how requests are smuggled.
  private static func hasBareLineEnd(_ bytes: Data) -> Bool {
    var previous: UInt8 = 0
    for byte in bytes {
      if (previous == 13) != (byte == 10) { return true }
      previous = byte
    }
    return false
  }
}
