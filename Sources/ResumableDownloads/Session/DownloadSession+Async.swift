public import Foundation
public import FoundationNetworking
internal import Synchronization

extension DownloadSession {
  /// Downloads to a file that the caller owns and has to move or remove.
  ///
  /// Cancelling the surrounding Swift task ends the download; the `URLError` that is thrown then carries resume data
  /// where there is any.
  ///
  /// - Throws: `URLError`. A status of 400 and above is no error: look at the response (Apple:
  ///   `download(from:delegate:)`).
  public func download(
    from url: URL, delegate: (any NSObject & URLSessionTaskDelegate)? = nil
  ) async throws -> (URL, URLResponse) {
    try await run(URLRequest(url: url), delegate: delegate)
  }

  /// As the other spelling, for a delegate of a concrete type.
  public func download(from url: URL, delegate: some URLSessionTaskDelegate) async throws -> (URL, URLResponse) {
    try await run(URLRequest(url: url), delegate: delegate)
  }

  /// Downloads the answer to a request to a file that the caller owns.
  public func download(
    for request: URLRequest, delegate: (any NSObject & URLSessionTaskDelegate)? = nil
  ) async throws -> (URL, URLResponse) {
    try await run(request, delegate: delegate)
  }

  /// As the other spelling, for a delegate of a concrete type.
  public func download(for request: URLRequest, delegate: some URLSessionTaskDelegate) async throws -> (
    URL, URLResponse
  ) {
    try await run(request, delegate: delegate)
  }

  private func run(_ request: URLRequest, delegate: (any URLSessionTaskDelegate)?) async throws -> (URL, URLResponse) {
    try await run(delegate: delegate) { add(request, options: [], style: $0) }
  }

  func run(
    delegate: (any URLSessionTaskDelegate)?, make: (DownloadTask.Style) -> DownloadTask
  ) async throws -> (URL, URLResponse) {
    let running = RunningTask()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let task = make(
          .async { file, response, error in
            if let file {
              // Without a request, because all bytes were there already, there is no answer to show.
              let described = URLResponse(url: file, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
              continuation.resume(returning: (file, response ?? described))
            } else {
              continuation.resume(throwing: error ?? URLError(.unknown))
            }
          })
        task.delegate = delegate
        running.begin(task)
      }
    } onCancel: {
      running.cancel()
    }
  }
}

extension URLSession {
  /// Continues a download to a file that the caller owns.
  ///
  /// - Throws: `URLError`, with `unsupportedURL` for data that cannot be used and for a session that is no
  ///   `DownloadSession`: FoundationNetworking's own cannot continue downloads.
  public func download(
    resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (URL, URLResponse) {
    guard let session = self as? DownloadSession else { throw URLError(.unsupportedURL) }
    return try await session.run(delegate: delegate) { session.add(resuming: resumeData, style: $0) }
  }
}

/// Joins a task with the cancellation that may come before, during or after its start.
private final class RunningTask: Sendable {
  private struct State {
    var task: DownloadTask?
    var isCancelled = false
  }

  private let state = Mutex(State())

  func begin(_ task: DownloadTask) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    isCancelled ? task.cancel() : task.resume()
  }

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel(byProducingResumeData: { _ in })
  }
}
