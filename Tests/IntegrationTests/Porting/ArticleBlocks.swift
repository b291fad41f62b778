import Foundation

/// The Swift of a page, and the samples of a source file that it has to equal.
enum ArticleBlocks {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  private static let package = folder.deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The Swift blocks of a page of the package, named from its root.
  static func printed(in page: String) throws -> [String] {
    pieces(of: try text(package.appendingPathComponent(page)), from: "```swift", to: "```")
  }

  /// What stands between "sample" and "end" in a source file of this folder.
  static func compiled(in source: String) throws -> [String] {
    pieces(of: try text(folder.appendingPathComponent(source)), from: "// sample", to: "// end")
  }

  private static func text(_ file: URL) throws -> String { String(decoding: try Data(contentsOf: file), as: UTF8.self) }

  /// The lines between two markers, without the indentation of the first marker.
  private static func pieces(of text: String, from start: String, to end: String) -> [String] {
    var (pieces, open, indentation): ([String], [String]?, Int) = ([], nil, 0)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      let trimmed = line.trimmingCharacters(in: .whitespaces)
      if trimmed == end, let lines = open {
        pieces.append(lines.joined(separator: "\n"))
        open = nil
      } else if trimmed == start {
        open = []
        indentation = line.prefix { $0 == " " }.count
      } else {
        open?.append(String(line.dropFirst(min(indentation, line.prefix { $0 == " " }.count))))
      }
    }
    return pieces
  }
}
