import Foundation
import FoundationNetworking

/// What an answer says about the bytes of the whole file: Repr-Digest and Content-Digest (RFC 9530), and the older
/// Digest (RFC 3230).
enum ServerDigests {
  /// The strongest value of each field; what is malformed or unknown counts as absent.
  ///
  /// Content-Digest is about what one answer carries, so it counts only for a whole one. Under a content coding the
  /// values are about the coded bytes, which are not those of the file.
  static func checksums(status: Int, field: (String) -> String?) -> Set<Checksum> {
    if let coding = field("Content-Encoding"), !["", "identity"].contains(coding.lowercased()) { return [] }
    guard status == 200 || status == 206 else { return [] }
    var found: [Checksum?] = [strongest(field("Repr-Digest"), isStructured: true)]
    found.append(strongest(field("Digest"), isStructured: false))
    if status == 200 { found.append(strongest(field("Content-Digest"), isStructured: true)) }
    return Set(found.compactMap { $0 })
  }

  static func checksums(in response: HTTPURLResponse) -> Set<Checksum> {
    checksums(status: response.statusCode) { response.value(forHTTPHeaderField: $0) }
  }

  /// - Parameter isStructured: Whether values are byte sequences between colons (RFC 8941, section 3.3.5).
  private static func strongest(_ text: String?, isStructured: Bool) -> Checksum? {
    let members = (text ?? "").split(separator: ",").compactMap { member -> Checksum? in
      let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      let name = parts[0].trimmingCharacters(in: .whitespaces).lowercased()
      var value = parts[1].trimmingCharacters(in: .whitespaces)
      if isStructured {
        guard value.hasPrefix(":"), let end = value.dropFirst().firstIndex(of: ":") else { return nil }
        value = String(value[value.index(after: value.startIndex)..<end])
      }
      guard let digest = Digest.allCases.first(where: { $0.httpName == name }), let data = Data(base64Encoded: value),
        data.count == digest.length
      else { return nil }
      return Checksum(digest, data)
    }
    return members.max { $0.digest.length < $1.digest.length }
  }
}
