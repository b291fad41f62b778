import Foundation
import TestSupport

/// Programs that are there or not.
enum Tools {
  /// The path of an installed program; nil when it is absent.
  static func path(_ name: String) -> String? { try? Products.installed(name) }

  /// The first line of what a program says about its version.
  static func version(_ name: String) async -> String? {
    guard let path = path(name) else { return nil }
    let option = name == "nginx" ? "-v" : "--version"
    guard let result = try? await ChildProcess.run(path, [option]) else { return nil }
    let text = result.text.isEmpty ? result.errorText : result.text
    return text.split(separator: "\n").first.map(String.init)
  }
}
