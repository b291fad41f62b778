import Foundation
import FoundationNetworking
import LoopbackServer

/// Downloads numbered files with a delegate that moves each to its place.
final class FilesClient: NSObject, URLSessionDownloadDelegate, Sendable {
  private struct State: Sendable {
    var completed = 0
    var callbacks = 0
    var failures: [String] = []
  }

  /// What a slow delegate takes for each progress callback.
  private static let slowMicroseconds: UInt32 = 10_000
  /// The benchmark ends a client that takes longer than that anyway.
  private static let limitSeconds = 7200.0

  private let order: ClientOrder
  private let state = Observed(State())

  init(_ order: ClientOrder) { self.order = order }

  /// Creates all tasks, lets all of them run, and returns when all have ended.
  func run() async throws -> [String: Double] {
    let session = order.session(self)
    let tasks = try (0..<order.count).map { session.downloadTask(with: try order.url($0)) }
    for task in tasks { task.resume() }
    let count = order.count
    let end = try await state.wait(for: "the downloads", timeoutSeconds: Self.limitSeconds) { $0.completed == count }
    session.finishTasksAndInvalidate()
    if let failure = end.failures.first { throw BenchmarkError.client(failure) }
    return ["callbacks": Double(end.callbacks)]
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    state.update { $0.callbacks += 1 }
    if order.peer == .slowDelegate { usleep(Self.slowMicroseconds) }
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    let name = downloadTask.originalRequest?.url?.lastPathComponent ?? ""
    if rename(location.path, "\(order.output)/\(name)") != 0 {
      let failure = BenchmarkError.last("rename \(location.path)").description
      state.update { $0.failures.append(failure) }
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let failure = error.map { "\($0)" }
    state.update { state in
      state.completed += 1
      if let failure { state.failures.append(failure) }
    }
  }
}
