import Foundation
import ResumableDownloads

/// What an earlier run has begun and not completed.
struct Leftover: Equatable, Sendable {
  /// The name that the file is to have.
  var name: String
  var url: URL?
  var bytes: Int64
  var total: Int64?
  var changed: Date
  /// The files that it consists of.
  var paths: [String]

  /// What of that kind lies in a folder and is not being written now.
  ///
  /// - Throws: `URLError` if the folder cannot be read.
  static func all(in directory: String) throws -> [Leftover] {
    let folder = URL(fileURLWithPath: directory, isDirectory: true)
    let partials = try DownloadSession.abandonedDownloads(in: folder).compactMap { partial($0, directory) }
    // Whole files that have not been checked yet.
    let names = try FileManager.default.contentsOfDirectory(atPath: directory)
    let whole = names.compactMap { staged($0, directory, names) }
    return (partials + whole).sorted { $0.name < $1.name }
  }

  private static func partial(_ data: ResumeData, _ directory: String) -> Leftover? {
    guard let destination = data.destinationURL,
      let name = StagedName.finalName(of: destination.lastPathComponent)
    else { return nil }
    // Found in this folder, wherever the folder was when it was written.
    let partial = data.partialURL.lastPathComponent
    let journal = String(partial.dropLast(".partial".count)) + ".resume"
    // Journals that a process has left which ended while it wrote one.
    let journals = ["", ".new", ".sync", ".old"].map { journal + $0 }
    return Leftover(
      name: name, url: data.url, bytes: data.byteOffset, total: data.expectedTotalBytes,
      changed: data.modificationDate, paths: ([partial] + journals).map { Entry.path(directory, $0) })
  }

  private static func staged(_ name: String, _ directory: String, _ names: [String]) -> Leftover? {
    let path = Entry.path(directory, name)
    guard let final = StagedName.finalName(of: name), let file = ExistingFile(path: path), let size = file.size else {
      return nil
    }
    let paths = ([name] + orphans(of: name, among: names)).map { Entry.path(directory, $0) }
    return Leftover(name: final, url: nil, bytes: size, total: size, changed: file.modified, paths: paths)
  }

  /// The journals of a whole file, which a process leaves that ends before it can remove them.
  private static func orphans(of staged: String, among names: [String]) -> [String] {
    names.filter { name in
      guard name.hasPrefix(".\(staged)."), let end = name.range(of: ".resume", options: .backwards)?.lowerBound else {
        return false
      }
      return !names.contains(name[..<end] + ".partial")
    }
  }

  /// Removes the journals of an entry's whole file.
  static func forgetJournals(_ entry: Entry) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: entry.directory)
    for name in orphans(of: PathText.name(entry.stagedPath), among: names) {
      _ = unlink(Entry.path(entry.directory, name))
    }
  }

  /// Removes its files.
  ///
  /// - Throws: `Failure` with the first one that cannot be removed.
  func remove() throws(Failure) {
    for path in paths where unlink(path) != 0 && errno != ENOENT {
      throw Failure.system("remove \(path)")
    }
  }

  /// Removes what there is of an entry, so that it begins anew.
  static func forget(_ entry: Entry) throws {
    for leftover in try all(in: entry.directory)
    where leftover.name == entry.name && (leftover.url == entry.url || leftover.paths.first == entry.stagedPath) {
      try leftover.remove()
    }
  }
}
