public import Foundation
public import FoundationNetworking
import LoopbackServer

extension RecordingDelegate {
  /// Records `.wrote`.
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    let event = DownloadEvent.wrote(bytes: bytesWritten, total: totalBytesWritten, expected: totalBytesExpectedToWrite)
    during(downloadTask, event) { hooks.onWrite?(downloadTask, totalBytesWritten) }
  }

  /// Records `.resumed`.
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    during(downloadTask, .resumed(offset: fileOffset, expected: expectedTotalBytes)) {
      hooks.onResume?(downloadTask, fileOffset)
    }
  }

  /// Records `.finished` and keeps the file.
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    let status = (downloadTask.response as? HTTPURLResponse)?.statusCode
    during(downloadTask, .finished(status: status)) {
      hooks.onFinish?(downloadTask, location)
      keep(location, downloadTask.taskIdentifier)
    }
  }

  /// Records `.completed` and the outcome.
  public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let identifier = task.taskIdentifier
    if let error, !(error is URLError) { note("the error is not a URLError: \(error)", identifier) }
    let shown = error.map { $0 as? URLError ?? URLError(.unknown) }
    during(task, .completed(shown)) {
      let response = task.response
      record.update { record in
        record.outcomes[identifier] = DownloadOutcome(
          file: record.files[identifier], temporaryFile: record.temporaryFiles[identifier], error: error,
          events: record.events(of: identifier), response: response, faults: record.faults[identifier] ?? [])
      }
      hooks.onComplete?(task)
    }
  }

  /// Records `.invalidated`.
  public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    record.update { record in
      record.isInvalid = true
      record.events.append(RecordedEvent(task: nil, event: .invalidated))
    }
  }

  /// Records a callback, and that another one of the same task came meanwhile, which must not happen.
  private func during(_ task: URLSessionTask, _ event: DownloadEvent, _ body: () -> Void) {
    let identifier = task.taskIdentifier
    record.update { record in
      if !record.running.insert(identifier).inserted {
        record.faults[identifier, default: []].append("\(event) came during another callback")
      }
      record.events.append(RecordedEvent(task: identifier, event: event))
    }
    body()
    record.update { _ = $0.running.remove(identifier) }
  }

  private func keep(_ location: URL, _ identifier: Int) {
    let kept = keeping == .leave ? location : keptFile(identifier)
    record.update { $0.temporaryFiles[identifier] = location }
    do {
      switch keeping {
      case .move: try FileManager.default.moveItem(at: location, to: kept)
      case .copy: try FileManager.default.copyItem(at: location, to: kept)
      case .leave: break
      }
      record.update { $0.files[identifier] = kept }
    } catch {
      note("the file could not be kept: \(error)", identifier)
    }
  }

  private func note(_ fault: String, _ identifier: Int) {
    record.update { $0.faults[identifier, default: []].append(fault) }
  }
}
