import Foundation
import LoopbackServer

/// The files that nginx serves, made once for a run.
struct ServedFiles {
  private static let blockBytes: Int64 = 8 << 20

  /// The root folder of the server.
  let root: String

  func path(_ folder: String, _ number: Int) -> String { "\(root)/\(folder)/\(number)" }

  /// Makes what the workloads need and is not there yet.
  func make(for workloads: [Workload], _ sizes: Sizes) throws {
    for workload in workloads {
      switch workload.servedFolder {
      case "large": try make("large", count: 1, bytes: sizes.largeBytes)
      case "medium": try make("medium", count: sizes.mediumCount, bytes: Sizes.mediumBytes)
      case "small": try make("small", count: max(sizes.smallCount, sizes.queuedCount), bytes: Sizes.smallBytes)
      default:
        try makeSparse(sizes.sparseBytes)
        try make("fresh", count: 1, bytes: Sizes.missingBytes)
      }
    }
  }

  /// Files of bytes that occur nowhere else.
  func make(_ folder: String, count: Int, bytes: Int64) throws {
    guard !FileManager.default.fileExists(atPath: "\(root)/\(folder)") else { return }
    try FileManager.default.createDirectory(atPath: "\(root)/\(folder)", withIntermediateDirectories: true)
    for number in 0..<count {
      let file = try create(path(folder, number))
      defer { try? file.close() }
      for start in stride(from: 0, to: bytes, by: Int64.Stride(Self.blockBytes)) {
        let range = start..<min(bytes, start + Self.blockBytes)
        try file.write(contentsOf: Payload.slice(seed: UInt64(number), range: range))
      }
    }
  }

  /// A file that is one hole but for its end.
  private func makeSparse(_ bytes: Int64) throws {
    guard !FileManager.default.fileExists(atPath: "\(root)/sparse") else { return }
    try FileManager.default.createDirectory(atPath: "\(root)/sparse", withIntermediateDirectories: true)
    let file = try create(path("sparse", 0))
    defer { try? file.close() }
    try file.seek(toOffset: UInt64(bytes - Sizes.missingBytes))
    try file.write(contentsOf: Payload.slice(seed: 5, range: 0..<Sizes.missingBytes))
  }

  /// A file that the server can read as any user.
  private func create(_ path: String) throws -> FileHandle { try OpenFile.new(path, mode: 0o644) }
}
