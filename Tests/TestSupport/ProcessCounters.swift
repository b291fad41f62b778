import Foundation
import Glibc

/// What this process holds at a moment; two of them show a leak.
public struct ProcessCounters: Sendable {
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

  /// Bytes of memory that this process has at the moment (proc_pid_statm(5)).
  public static func residentBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
