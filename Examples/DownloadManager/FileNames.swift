import Console
import Foundation

/// Which file in a folder belongs to which URL, written down there.
struct FileNames {
  private let folder: URL
  private(set) var all: [URL: String] = [:]

  private var list: URL { folder.appendingPathComponent("downloads.json") }

  /// Reads the list of an earlier run, if there is one.
  init(in folder: URL) throws {
    self.folder = folder
    guard FileManager.default.fileExists(atPath: list.path) else { return }
    let entries = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: list))
    for (address, name) in entries {
      // The list could have been edited: a name with a slash would lead out of the folder.
      guard let url = URL(string: address), !name.contains("/") else { throw CocoaError(.fileReadCorruptFile) }
      all[url] = name
    }
  }

  /// The name for a URL, the same each time and for no other URL; a new one is written down before anyone has it.
  mutating func name(for url: URL) throws -> String {
    if let name = all[url] { return name }
    let plain = fileName(for: url)
    var (name, number) = (plain, 1)
    while isTaken(name) {
      number += 1
      name = "\(number)-\(plain)"
    }
    var next = all
    next[url] = name
    let entries = Dictionary(uniqueKeysWithValues: next.map { ($0.key.absoluteString, $0.value) })
    try JSONEncoder().encode(entries).write(to: list, options: .atomic)
    all = next
    return name
  }

  private func isTaken(_ name: String) -> Bool {
    all.values.contains(name) || name == list.lastPathComponent
      || FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path)
  }
}
