import Foundation

/// Memory for what the programs write, which the machine has already.
///
/// A virtual machine may give memory that is free back to its host, a block of 2 MiB at a time (free page reporting),
/// and who uses it next waits for the host: one program of a round and not another. Here a page of each MiB stays in
/// use, so that no such block is ever wholly free.
enum WarmMemory {
  private static let pageBytes = 4096
  private static let stretchBytes = 1 << 20

  /// Uses so much for a moment, and a little of it for as long as the folder exists.
  static func prepare(_ bytes: Int64, in folder: String) throws {
    let kept = try OpenFile.new(folder + "/kept-pages")
    let spare = try OpenFile.new(folder + "/spare-pages")
    defer { unlink(folder + "/spare-pages") }
    let stretch = Data(repeating: 1, count: stretchBytes)
    for _ in 0..<(bytes / Int64(stretchBytes)) {
      try kept.write(contentsOf: stretch.prefix(pageBytes))
      try spare.write(contentsOf: stretch.dropFirst(pageBytes))
    }
  }
}
