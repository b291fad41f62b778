import Foundation

/// Files that the command line names.
enum InputFile {
  /// The text of a file, or of standard input for `-`.
  static func text(_ name: String) throws(UsageError) -> String {
    do {
      let data =
        name == "-"
        ? try FileHandle.standardInput.readToEnd() ?? Data() : try Data(contentsOf: URL(fileURLWithPath: name))
      guard let text = String(validating: data, as: UTF8.self) else {
        throw UsageError(reason: "\(name) is not UTF-8 text")
      }
      return text
    } catch let error as UsageError {
      throw error
    } catch {
      throw UsageError(reason: "cannot read \(name): \(Failure.sentence(error))")
    }
  }
}
