import Foundation

/// What this process holds at a moment; two of them show a leak.
public struct ProcessCounters: Sendable, Equatable {
  /// Open file descriptors.
  public let descriptors: Int
  /// Running threads.
  public let threads: Int

  /// Counts now. Tests that run at the same time in this process are counted too.
  public static func now() throws -> ProcessCounters {
    let files = FileManager.default
    // Reading the folder needs a descriptor, which is counted with the others.
    let descriptors = try files.contentsOfDirectory(atPath: "/proc/self/fd").count - 1
    return ProcessCounters(
      descriptors: descriptors, threads: try files.contentsOfDirectory(atPath: "/proc/self/task").count)
  }

  /// What the open descriptors refer to, sorted, for the message of a failing test.
  public static func openFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
    }.sorted()
  }
}
