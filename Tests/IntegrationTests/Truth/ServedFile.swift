import Foundation
import Glibc
import TestSupport

/// The file that a real server has in its folder, in versions that follow each other.
struct ServedFile {
  let root: TemporaryFolder
  let name: String

  /// - Parameter name: Its ending tells the server whether it is text.
  init(_ name: String) throws {
    self.name = name
    root = try TemporaryFolder("root")
  }

  /// Puts a version of the file in the place of the last one, in one step.
  ///
  /// The versions are minutes apart and in the past: some servers make the entity tag from whole seconds, and one calls
  /// the tag of a file that has just changed weak.
  func serve(_ data: Data, version: Int = 1) throws {
    try root.write(data, to: "new")
    let date = Date(timeIntervalSinceNow: -86_400 + Double(version) * 60)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: root.path("new"))
    guard rename(root.path("new"), root.path(name)) == 0 else {
      throw TestSupportError.system(call: "rename", code: errno)
    }
  }

  /// Takes the file away, or puts the same one back.
  func hide(_ isHidden: Bool) throws {
    let (visible, hidden) = (root.path(name), root.path(".hidden"))
    try FileManager.default.moveItem(atPath: isHidden ? visible : hidden, toPath: isHidden ? hidden : visible)
  }
}
