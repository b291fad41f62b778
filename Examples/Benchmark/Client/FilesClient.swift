import Foundation
import FoundationNetworking
import LoopbackServer
import Synchronization

/// Downloads numbered files with a delegate that moves each to its place.
final class FilesClient: NSObject, URLSessionDownloadDelegate, Sendable {
  /// What a slow delegate takes for each progress callback.
  private static let slowMicroseconds: UInt32 = 10_000
  /// The benchmark ends a client that takes longer than that anyway.
  private static let limitSeconds = 7200.0

  private let order: ClientOrder
  /// The number of the next file that nobody has asked for.
  private let next: Atomic<Int>
  // What comes for every file is counted without waking anybody, so that the client measures the library and not itself.
  private let completed = Atomic(0)
  private let callbacks = Atomic(0)
  private let failures = Observed<[String]>([])
  private let hasEnded = Observed(false)

  init(_ order: ClientOrder) {
    self.order = order
    next = Atomic(order.tasks)
  }

  /// Creates the first tasks, lets all of them run, begins another whenever one has ended, and returns when all have.
  func run() async throws -> [String: Double] {
    let queue = CountingQueue()
    let session = order.session(self, queue)
    let tasks = try (0..<order.tasks).map { session.downloadTask(with: try order.url($0)) }
    for task in tasks { task.resume() }
    _ = try await hasEnded.wait(for: "the downloads", timeoutSeconds: Self.limitSeconds) { $0 }
    session.finishTasksAndInvalidate()
    if let failure = failures.value.first { throw BenchmarkError.client(failure) }
    return ["callbacks": Double(callbacks.load(ordering: .relaxed)), "operations": Double(queue.hops)]
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    callbacks.add(1, ordering: .relaxed)
    if order.peer == .slowDelegate { usleep(Self.slowMicroseconds) }
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    let name = downloadTask.originalRequest?.url?.lastPathComponent ?? ""
    if rename(location.path, "\(order.output)/\(name)") != 0 {
      let failure = BenchmarkError.last("rename \(location.path)").description
      failures.update { $0.append(failure) }
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    if let failure = error.map({ "\($0)" }) { failures.update { $0.append(failure) } }
    let number = next.add(1, ordering: .relaxed).oldValue
    if number < order.count {
      do { session.downloadTask(with: try order.url(number)).resume() } catch {
        failures.update { $0.append("\(error)") }
        hasEnded.update { $0 = true }
      }
    }
    if completed.add(1, ordering: .acquiringAndReleasing).newValue == order.count { hasEnded.update { $0 = true } }
  }
}
