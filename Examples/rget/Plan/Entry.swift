import Foundation

/// One file to be fetched.
struct Entry: Equatable, Sendable {
  let number: Int
  let url: URL
  let directory: String
  /// The name of the file; a server may still suggest another one unless the user gave it.
  let name: String
  let isNameFixed: Bool
  /// What the URL calls it, which another entry may have as its name.
  var urlName: String { FileName.from(url) ?? FileName.fallback }

  var path: String { Self.path(directory, name) }

  /// Where the file lies, hidden, until everything about it is right. The same for the same URL and name, so that the
  /// next run finds it again.
  var stagedPath: String { Self.path(directory, StagedName.make(name: name, url: url)) }

  /// What stands for the URL where the URL must not be told.
  var source: String { StagedName.hash(url) }

  static func path(_ directory: String, _ name: String) -> String {
    directory == "." ? name : directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
  }
}

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
