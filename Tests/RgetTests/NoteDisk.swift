import Foundation
import TestSupport

@testable import rget

/// The disk of temporary folders.
enum NoteDisk {
  /// Whether files can have notes.
  static let isPossible: Bool = {
    guard let folder = try? TemporaryFolder("note"), let path = try? folder.write(Data(), to: "f") else { return false }
    return ExtendedAttribute.write(Data("x".utf8), as: SavedVersion.attribute, to: path)
  }()
}
