import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads

/// Keeps a session after its only task has ended and looks what its threads do.
struct IdlingClient {
  /// For the threads of the download that has just ended.
  private static let settlingMicroseconds: UInt32 = 200_000

  let order: ClientOrder

  func run() async throws -> [String: Double] {
    let session = DownloadSession(configuration: order.configuration)
    let (file, _) = try await session.download(from: try order.url(0))
    guard rename(file.path, order.output + "/0") == 0 else { throw BenchmarkError.last("rename \(file.path)") }
    // Blocks this thread on purpose: a timer would be work of another thread.
    usleep(Self.settlingMicroseconds)
    let before = try Self.count()
    usleep(UInt32(order.idleSeconds * 1_000_000))
    let after = try Self.count()
    session.finishTasksAndInvalidate()
    return [
      "idleSeconds": order.idleSeconds, "wakeups": Double(after.wakeups - before.wakeups),
      "cpuMicroseconds": Double(after.nanoseconds - before.nanoseconds) / 1000,
    ]
  }

  /// What all threads but this one have used (proc(5), `/proc/pid/task/tid/schedstat`: time on a processor in
  /// nanoseconds, time waiting, how often).
  private static func count() throws -> (nanoseconds: Int64, wakeups: Int64) {
    var total: (nanoseconds: Int64, wakeups: Int64) = (0, 0)
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
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
