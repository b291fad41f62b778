import Foundation

/// One file to be fetched.
struct Entry: Equatable, Sendable {
  let number: Int
  let url: URL
  let directory: String
  /// The name of the file; a server may still suggest another one unless it is fixed.
  let name: String
  let isNameFixed: Bool

  var path: String { Self.path(directory, name) }

  /// Where the file lies, hidden, until everything about it is right. The same for the same URL and name, so that the
  /// next run finds it again.
  var stagedPath: String { Self.path(directory, StagedName.make(name: name, url: url)) }

  static func path(_ directory: String, _ name: String) -> String {
    directory == "." ? name : directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
  }
}

/// Names of files that are not yet checked: `.NAME.HASH.rget`.
enum StagedName {
  private static let ending = ".rget"
  private static let hashLength = 12

  static func make(name: String, url: URL) -> String {
    let hash = Digest.hexadecimal(Digest.sha256.hash(of: Data(url.absoluteString.utf8))).prefix(hashLength)
    return ".\(name).\(hash)\(ending)"
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
