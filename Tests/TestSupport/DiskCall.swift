public import Foundation

/// One change or sync that a program made in a folder, as the library of `Preload` writes it down.
public enum DiskCall: Sendable {
  /// A new empty file with that name.
  case create(inode: UInt64, name: String)
  /// Bytes of a file.
  case write(inode: UInt64, offset: Int, bytes: Data)
  /// The size of a file.
  case truncate(inode: UInt64, size: Int)
  /// Data and size of a file are on the disk.
  case sync(inode: UInt64)
  /// The names in the folder are on the disk.
  case syncFolder
  /// A file has another name, whatever had it before.
  case rename(from: String, to: String)
  /// A file has a second name.
  case link(from: String, to: String)
  /// A name is gone.
  case unlink(name: String)
  /// Space was reserved for a file.
  case reserve(inode: UInt64)

  /// The kind under which `Preload.Order` counts it.
  public var kind: String {
    switch self {
    case .create: "create"
    case .write: "write"
    case .truncate: "truncate"
    case .sync, .syncFolder: "sync"
    case .rename: "rename"
    case .link: "link"
    case .unlink: "unlink"
    case .reserve: "reserve"
    }
  }

  /// Reads a log.
  ///
  /// - Throws: `TestSupportError.commandFailed` for a line that is none.
  public static func read(_ path: String) throws -> [DiskCall] {
    let log = try Data(contentsOf: URL(fileURLWithPath: path))
    var (calls, place) = ([DiskCall](), log.startIndex)
    while let end = log[place...].firstIndex(of: UInt8(ascii: "\n")) {
      let words = String(decoding: log[place..<end], as: UTF8.self).split(separator: "\t").map(String.init)
      place = end + 1
      guard let call = DiskCall(words, log[place...]) else {
        throw TestSupportError.commandFailed("a log with \(words)")
      }
      if case .write(_, _, let bytes) = call { place += bytes.count }
      calls.append(call)
    }
    return calls
  }

  private init?(_ words: [String], _ rest: Data) {
    let numbers = words.dropFirst().map { Int($0) ?? -1 }
    let inode = UInt64(max(0, numbers.first ?? 0))
    switch (words.first, words.count) {
    case ("create", 3): self = .create(inode: inode, name: words[2])
    case ("write", 4) where numbers[2] > 0 && numbers[2] <= rest.count:
      self = .write(inode: inode, offset: numbers[1], bytes: Data(rest.prefix(numbers[2])))
    case ("truncate", 3): self = .truncate(inode: inode, size: numbers[1])
    case ("sync", 2): self = .sync(inode: inode)
    case ("folder", 1): self = .syncFolder
    case ("rename", 3): self = .rename(from: words[1], to: words[2])
    case ("link", 3): self = .link(from: words[1], to: words[2])
    case ("unlink", 2): self = .unlink(name: words[1])
    case ("reserve", 2): self = .reserve(inode: inode)
    default: return nil
    }
  }
}
