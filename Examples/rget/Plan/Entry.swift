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
