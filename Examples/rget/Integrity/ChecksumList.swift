import Foundation

/// What `sha256sum`, `sha512sum` and their `--tag` forms write.
struct ChecksumList: Equatable, Sendable {
  private(set) var checksums: [String: Checksum] = [:]

  init(_ text: String, source: String) throws(UsageError) {
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      if line.allSatisfy(\.isWhitespace) || line.hasPrefix("#") { continue }
      guard let (name, checksum) = Self.plain(line) ?? Self.tagged(line) else {
        throw UsageError(reason: "\(source), line \(index + 1): this is no checksum of sha256 or sha512")
      }
      checksums[PathText.name(name)] = checksum
    }
    guard !checksums.isEmpty else { throw UsageError(reason: "\(source) holds no checksum") }
  }

  /// `HEX  NAME`, or `HEX *NAME` for binary mode.
  private static func plain(_ line: Substring) -> (String, Checksum)? {
    let hex = line.prefix { $0.isHexDigit }
    let rest = line.dropFirst(hex.count)
    guard rest.first == " ", let mark = rest.dropFirst().first, mark == " " || mark == "*" else { return nil }
    let name = rest.dropFirst(2)
    guard !name.isEmpty, let value = Digest.bytes(hexadecimal: hex),
      let digest = Digest.allCases.first(where: { $0.length == value.count })
    else { return nil }
    return (String(name), Checksum(digest, value))
  }

  /// `SHA256 (NAME) = HEX`.
  private static func tagged(_ line: Substring) -> (String, Checksum)? {
    guard let open = line.range(of: " ("), let close = line.range(of: ") = ", options: .backwards),
      open.upperBound < close.lowerBound, let digest = Digest(rawValue: line[..<open.lowerBound].lowercased()),
      let value = Digest.bytes(hexadecimal: line[close.upperBound...]), value.count == digest.length
    else { return nil }
    return (String(line[open.upperBound..<close.lowerBound]), Checksum(digest, value))
  }
}
