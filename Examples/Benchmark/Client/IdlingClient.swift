import Dispatch
import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads

/// Keeps a session after its only task has ended and looks what its threads do.
///
/// libdispatch looks after its threads once a second in every program that has used it. That is no work of the session,
/// so it is begun before, and threads that were there before are not counted.
struct IdlingClient {
  /// For the threads of the download that has just ended.
  private static let settlingMicroseconds: UInt32 = 200_000

  let order: ClientOrder

  func run() async throws -> [String: Double] {
    await withCheckedContinuation { begun in DispatchQueue.global().async { begun.resume() } }
    usleep(Self.settlingMicroseconds)
    let earlier = Set(try Self.threads())
    let session = DownloadSession(configuration: order.configuration)
    let (file, _) = try await session.download(from: try order.url(0))
    guard rename(file.path, order.output + "/0") == 0 else { throw BenchmarkError.last("rename \(file.path)") }
    // Blocks this thread on purpose: a timer would be work of another thread.
    usleep(Self.settlingMicroseconds)
    let before = try Self.count(without: earlier)
    usleep(UInt32(order.idleSeconds * 1_000_000))
    let after = try Self.count(without: earlier)
    session.finishTasksAndInvalidate()
    return [
      "idleSeconds": order.idleSeconds, "wakeups": Double(after.wakeups - before.wakeups),
      "cpuMicroseconds": Double(after.nanoseconds - before.nanoseconds) / 1000,
    ]
  }

  private static func threads() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
  }

  /// What all other threads but this one have used (proc(5), `/proc/pid/task/tid/schedstat`: time on a processor in
  /// nanoseconds, time waiting, how often).
  private static func count(without earlier: Set<String>) throws -> (nanoseconds: Int64, wakeups: Int64) {
    var total: (nanoseconds: Int64, wakeups: Int64) = (0, 0)
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    for name in try threads() where !earlier.contains(name) {
      guard !own.hasSuffix("/\(name)"),
        let text = try? String(contentsOfFile: "/proc/self/task/\(name)/schedstat", encoding: .utf8)
      else { continue }
      let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int64($0) }
      guard numbers.count == 3 else { continue }
      total = (total.nanoseconds + numbers[0], total.wakeups + numbers[2])
    }
    return total
  }
}
