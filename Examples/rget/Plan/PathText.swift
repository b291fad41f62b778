/// Paths as text. `NSString` has the same, and traps on names of one letter (Foundation of Swift 6.3 on Linux).
enum PathText {
  /// What stands behind the last slash.
  static func name(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  /// The folder of a path, `.` if it names none.
  static func folder(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
