import Foundation
import TestSupport

/// A folder as the system shows it and as the disk may hold it, made from the calls of a program.
///
/// POSIX promises little: bytes are on the disk after a sync of their file, names after a sync of their folder. What
/// comes in between may be there after a power cut or not, in part, in another order, or as zeros.
struct DiskModel {
  /// One file, whatever its name.
  struct File {
    /// What a sync has made sure of.
    var durable = Data()
    /// What the system shows.
    var current = Data()
    /// The sizes it has had since the last sync.
    var sizes: [Int] = [0]
  }

  private(set) var files: [Int: File] = [:]
  private var fileOfInode: [UInt64: Int] = [:]
  /// The names on the disk, and the changes that may be there, too.
  private var durableNames: [String: Int] = [:]
  private var pendingNames: [NameChange] = []

  private enum NameChange {
    case set(String, Int)
    case move(String, String, Int)
    case remove(String)
  }

  /// The names that the system shows.
  var names: [String: Int] { Self.apply(pendingNames, to: durableNames) }

  mutating func apply(_ call: DiskCall) {
    switch call {
    case .create(let inode, let name):
      fileOfInode[inode] = files.count
      files[files.count] = File()
      pendingNames.append(.set(name, files.count - 1))
    case .write(let inode, let offset, let bytes): change(inode) { $0.write(bytes, at: offset) }
    case .truncate(let inode, let size): change(inode) { $0.resize(to: size) }
    case .sync(let inode):
      change(inode) { file in
        file.durable = file.current
        file.sizes = [file.current.count]
      }
    case .syncFolder: (durableNames, pendingNames) = (names, [])
    case .rename(let from, let to): if let file = names[from] { pendingNames.append(.move(from, to, file)) }
    case .link(let from, let to): if let file = names[from] { pendingNames.append(.set(to, file)) }
    case .unlink(let name): pendingNames.append(.remove(name))
    case .reserve: break
    }
  }

  private mutating func change(_ inode: UInt64, _ edit: (inout File) -> Void) {
    guard let number = fileOfInode[inode], var file = files[number] else { return }
    edit(&file)
    files[number] = file
  }

  private static func apply(_ changes: some Sequence<NameChange>, to names: [String: Int]) -> [String: Int] {
    changes.reduce(into: names) { names, change in
      switch change {
      case .set(let name, let file): names[name] = file
      case .move(let from, let to, let file):
        if names[from] == file { names[from] = nil }
        names[to] = file
      case .remove(let name): names[name] = nil
      }
    }
  }
}

extension DiskModel {
  /// Which of the pending changes of names the disk has.
  enum NameLoss: CaseIterable {
    case all, none, later, scattered
    /// Whether what is kept is kept in order, as file systems with a journal do.
    var isOrdered: Bool { self != .scattered }
  }

  /// What the disk has of the bytes that were not synced.
  enum ByteLoss: CaseIterable {
    case all, none, zeros, later, scattered
  }

  /// The folder as found after a power cut: names, and the number and bytes of their files.
  typealias Remains = [String: (file: Int, bytes: Data)]

  /// One of the states that a power cut at this moment may leave.
  func remains(_ nameLoss: NameLoss, _ byteLoss: () -> ByteLoss, _ generator: inout SeededGenerator) -> Remains {
    let kept: [NameChange]
    switch nameLoss {
    case .all: kept = []
    case .none: kept = pendingNames
    case .later: kept = Array(pendingNames.prefix(Int.random(in: 0...pendingNames.count, using: &generator)))
    case .scattered: kept = pendingNames.filter { _ in Bool.random(using: &generator) }
    }
    // One file keeps its bytes in one way, whatever its names.
    var bytes: [Int: Data] = [:]
    let names = Self.apply(kept, to: durableNames)
    for number in Set(names.values).sorted() {
      bytes[number] = files[number]?.remains(byteLoss(), &generator)
    }
    return names.mapValues { (file: $0, bytes: bytes[$0] ?? Data()) }
  }
}

extension DiskModel.File {
  /// Smaller than a page, so that also small journals are torn.
  private static let block = 512

  mutating func write(_ bytes: Data, at offset: Int) {
    if current.count < offset + bytes.count { current.append(Data(count: offset + bytes.count - current.count)) }
    current.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    sizes.append(current.count)
  }

  mutating func resize(to size: Int) {
    current = current.prefix(size) + Data(count: max(0, size - current.count))
    sizes.append(size)
  }

  fileprivate func remains(_ loss: DiskModel.ByteLoss, _ generator: inout SeededGenerator) -> Data {
    switch loss {
    case .all: return durable
    case .none: return current
    case .zeros: return blocks(size: current.count) { $0 == $1 ? $0 : Data(count: $1.count) }
    case .later:
      let size = Int.random(in: min(durable.count, current.count)...current.count, using: &generator)
      return current.prefix(size)
    case .scattered:
      let size = sizes.randomElement(using: &generator) ?? current.count
      return blocks(size: size) { old, new in
        if old == new { return new }
        return [old, new, Data(count: new.count)].randomElement(using: &generator) ?? new
      }
    }
  }

  /// Chooses each block from what it was and what it is; there are zeros where one of them ends. What a sync has put
  /// into the last block stays when more is written to it.
  private func blocks(size: Int, _ choose: (Data, Data) -> Data) -> Data {
    var found = Data()
    let starts = Set(stride(from: 0, to: size, by: Self.block)).union(durable.count < size ? [durable.count] : [])
    let edges = starts.sorted() + [size]
    for (start, end) in zip(edges, edges.dropFirst()) {
      let range = start..<end
      found.append(choose(durable.padded(range), current.padded(range)))
    }
    return found
  }
}

extension Data {
  /// The bytes of a range, with zeros beyond the end.
  fileprivate func padded(_ range: Range<Int>) -> Data {
    let part = dropFirst(range.lowerBound).prefix(range.count)
    return part + Data(count: range.count - part.count)
  }
}
