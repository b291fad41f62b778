public import Foundation

/// One callback of a download delegate.
public enum DownloadEvent: Sendable, Equatable {
  /// `didWriteData`: bytes of this call, bytes so far, bytes expected.
  case wrote(bytes: Int64, total: Int64, expected: Int64)
  /// `didResumeAtOffset`.
  case resumed(offset: Int64, expected: Int64)
  /// `didFinishDownloadingTo`, with the status of the response.
  case finished(status: Int?)
  /// `didCompleteWithError`; an error of another type is `URLError.unknown` here and itself in the outcome.
  case completed(URLError?)
  /// `didBecomeInvalidWithError`.
  case invalidated
}

/// A callback and the identifier of the task that it was for, nil for the session.
public struct RecordedEvent: Sendable, Equatable {
  /// `taskIdentifier`.
  public let task: Int?
  /// The callback.
  public let event: DownloadEvent
}

/// The rules for the order of one task's callbacks.
public enum EventOrder {
  /// What is wrong with the order: `resumed? wrote* finished? completed`, each total the sum of what came before.
  ///
  /// - Parameters:
  ///   - events: The callbacks of one task that has completed.
  ///   - allowingRestarts: True if the task may report an offset again when it goes back, as one that starts over does.
  /// - Returns: One sentence for each fault; empty if there is none.
  public static func violations(_ events: [DownloadEvent], allowingRestarts: Bool = false) -> [String] {
    var check = Check(allowingRestarts: allowingRestarts)
    for event in events { check.take(event) }
    if check.completions != 1 { check.faults.append("completed \(check.completions) times") }
    return check.faults
  }

  private struct Check {
    let allowingRestarts: Bool
    var faults: [String] = []
    var total: Int64 = 0
    var resumes = 0
    var writes = 0
    var finishes = 0
    var completions = 0

    mutating func take(_ event: DownloadEvent) {
      if completions > 0 { faults.append("\(event) after completion") }
      switch event {
      case .wrote(let bytes, let newTotal, let expected): wrote(bytes, newTotal, expected)
      case .resumed(let offset, let expected): resumed(offset, expected)
      case .finished:
        finishes += 1
        if finishes > 1 { faults.append("finished \(finishes) times") }
      case .completed(let error):
        completions += 1
        if finishes > 0, let error { faults.append("finished, then failed with \(error.code.rawValue)") }
        if finishes == 0, error == nil { faults.append("completed without an error and without a file") }
      case .invalidated: faults.append("invalidated within a task")
      }
    }

    private mutating func wrote(_ bytes: Int64, _ newTotal: Int64, _ expected: Int64) {
      writes += 1
      if finishes > 0 { faults.append("wrote after finishing") }
      if bytes <= 0 { faults.append("wrote \(bytes) bytes") }
      if newTotal != total + bytes { faults.append("total \(newTotal) is not \(total) + \(bytes)") }
      if expected >= 0, newTotal > expected { faults.append("total \(newTotal) is more than \(expected)") }
      if expected < -1 { faults.append("expected \(expected)") }
      total = newTotal
    }

    private mutating func resumed(_ offset: Int64, _ expected: Int64) {
      resumes += 1
      if finishes > 0 { faults.append("resumed after finishing") }
      if offset < 0 { faults.append("resumed at \(offset)") }
      if expected >= 0, offset > expected { faults.append("resumed at \(offset) of \(expected)") }
      if resumes > 1, offset >= total { faults.append("went on at \(offset) after \(total)") }
      if !allowingRestarts, resumes > 1 { faults.append("resumed \(resumes) times") }
      if !allowingRestarts, writes > 0 { faults.append("resumed after writing") }
      total = offset
    }
  }
}
