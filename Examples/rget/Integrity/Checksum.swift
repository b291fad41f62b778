import Foundation

/// A value that a file must have.
struct Checksum: Hashable, Sendable {
  let digest: Digest
  let value: Data

  init(_ digest: Digest, _ value: Data) {
    self.digest = digest
    self.value = value
  }

  /// Reads `sha256:HEX` or `sha512:HEX`.
  init(argument text: String) throws(UsageError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let digest = Digest(rawValue: parts[0].lowercased().replacing("-", with: "")) else {
      throw UsageError(reason: "--checksum needs sha256:HEX or sha512:HEX")
    }
    guard let value = Digest.bytes(hexadecimal: parts[1]), value.count == digest.length else {
      throw UsageError(reason: "a \(digest.rawValue) has \(digest.length * 2) hexadecimal digits")
    }
    self.init(digest, value)
  }

  /// As the command line has it.
  var text: String { "\(digest.rawValue):\(Digest.hexadecimal(value))" }
}
