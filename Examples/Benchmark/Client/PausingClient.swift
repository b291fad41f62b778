import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads

/// Pauses one download as soon as bytes flow, continues it from the resume data, and does so again and again.
final class PausingClient: NSObject, URLSessionDownloadDelegate, Sendable {
  private struct State: Sendable {
    /// The next bytes of the task lead to a pause.
    var isArmed = false
    /// Cancelling has called back, with or without resume data.
    var isPaused = false
    var data: Data?
    var hasCompleted = false
    var isFinished = false
    /// Seconds from the call to the resume data in hand.
    var latencies: [Double] = []
    /// Where the task said that it goes on.
    var resumedAt: Int64?
    var failures: [String] = []
  }

  private let order: ClientOrder
  private let state = Observed(State())

  init(_ order: ClientOrder) { self.order = order }

  func run() async throws -> [String: Double] {
    let session = DownloadSession(configuration: order.configuration, delegate: self, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    var held: Data?
    var lost = 0
    var again: Int64 = 0
    while true {
      let isLast = state.value.latencies.count >= order.pauses
      state.update { state in
        (state.isArmed, state.isPaused, state.hasCompleted, state.isFinished) = (!isLast, false, false, false)
        (state.data, state.resumedAt) = (nil, nil)
      }
      let task = try held.map { session.downloadTask(withResumeData: $0) } ?? session.downloadTask(with: order.url(0))
      task.resume()
      let end = try await state.wait(for: "a pause") { $0.hasCompleted && ($0.isFinished || $0.isPaused) }
      if let failure = end.failures.first { throw BenchmarkError.client(failure) }
      if let held, let at = end.resumedAt { again += try ResumeData(held).byteOffset - at }
      if end.isFinished && isLast { break }
      // The throttled server may still have been quick enough to send it all; then it begins anew.
      held = end.isFinished ? nil : end.data
      if !end.isFinished && held == nil { lost += 1 }
    }
    return summary(lost: lost, again: again)
  }

  private func summary(lost: Int, again: Int64) -> [String: Double] {
    let sorted = state.value.latencies.sorted()
    let milliseconds = { (part: Double) in sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))] * 1000 }
    return [
      "pauses": Double(sorted.count), "withoutData": Double(lost), "bytesAgain": Double(again),
      "pauseMedianMilliseconds": milliseconds(0.5), "pause99Milliseconds": milliseconds(0.99),
    ]
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    let isArmed = state.update { state in
      defer { state.isArmed = false }
      return state.isArmed
    }
    guard isArmed else { return }
    let start = SteadyClock.now()
    downloadTask.cancel(byProducingResumeData: { [state] data in
      let seconds = SteadyClock.now() - start
      state.update { state in
        state.isPaused = true
        state.data = data
        state.latencies.append(seconds)
      }
    })
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    state.update { $0.resumedAt = fileOffset }
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    let isMoved = rename(location.path, order.output + "/0") == 0
    state.update { state in
      state.isFinished = true
      if !isMoved { state.failures.append("the finished file could not be moved") }
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let failure = (error as? URLError)?.code == .cancelled ? nil : error.map { "\($0)" }
    state.update { state in
      if let failure { state.failures.append(failure) }
      state.hasCompleted = true
    }
  }
}
