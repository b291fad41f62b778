internal import Foundation

/// Where the tasks of sessions with an identifier are kept.
enum StatePath {
  /// Leaves room within the 255 bytes of a file name.
  private static let maximumNameBytes = 160

  /// The folder of one identifier: under `base`, or in this program's folder under `XDG_STATE_HOME` (XDG Base Directory
  /// Specification; a relative path there does not count).
  static func folder(
    of identifier: String, in base: String?, environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String {
    (base ?? programFolder(environment)) + "/" + name(for: identifier)
  }

  private static func programFolder(_ environment: [String: String]) -> String {
    var state = environment["XDG_STATE_HOME"] ?? ""
    if !state.hasPrefix("/") {
      // NSHomeDirectory() takes the home from the user database, whatever HOME says.
      let home = environment["HOME"] ?? ""
      state = (home.hasPrefix("/") ? home : NSHomeDirectory()) + "/.local/state"
    }
    return state + "/resumable-downloads/" + name(for: program)
  }

  /// The name of the running program's file, the same after an update has put another in its place.
  private static let program: String = {
    // Without /proc the name that the program was started with has to do.
    let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let name = (path as NSString).lastPathComponent
    let suffix = " (deleted)"
    let plain = name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
    return plain.isEmpty ? ProcessInfo.processInfo.processName : plain
  }()

  /// A file name for any text, different for different texts.
  static func name(for text: String) -> String {
    var name = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: name.unicodeScalars.append(Unicode.Scalar(byte))
      case 0x2E where !name.isEmpty: name += "."
      default: name += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    guard name.utf8.count > maximumNameBytes else { return name.isEmpty ? "%" : name }
    return String(decoding: name.utf8.prefix(maximumNameBytes), as: UTF8.self) + "%." + NameHash.hexadecimal(text)
  }
}
