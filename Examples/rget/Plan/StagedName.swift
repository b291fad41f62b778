import Foundation

/// Names of files that are not yet checked: `.NAME.HASH.rget`.
enum StagedName {
  private static let ending = ".rget"
  private static let hashLength = 12

  static func make(name: String, url: URL) -> String {
    ".\(name).\(hash(url))\(ending)"
  }

  static func hash(_ url: URL) -> String {
    String(Digest.hexadecimal(Digest.sha256.hash(of: Data(url.absoluteString.utf8))).prefix(hashLength))
  }

  /// The name that the file is to have in the end; nil if this is no such name.
  static func finalName(of staged: String) -> String? {
    guard staged.hasPrefix("."), staged.hasSuffix(ending) else { return nil }
    let parts = staged.dropFirst().dropLast(ending.count)
    guard let dot = parts.lastIndex(of: ".") else { return nil }
    let hash = parts[parts.index(after: dot)...]
    guard hash.count == hashLength, hash.allSatisfy({ $0.isHexDigit && $0.isASCII }), dot > parts.startIndex else {
      return nil
    }
    return String(parts[..<dot])
  }
}
