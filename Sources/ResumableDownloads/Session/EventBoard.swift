internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// What has happened to one task so far, for any number of readers at any speed.
///
/// It holds the latest news of each kind and no list; each reader remembers where it is. Any thread may use it.
final class EventBoard: Sendable {
  /// How far one reader has come.
  struct Place: Sendable {
    fileprivate var hasSeenResume = false
    fileprivate var progress = Counts()
    fileprivate var hasSeenEnd = false
  }

  enum Reading: Sendable {
    case event(DownloadTask.Event)
    case failure(URLError)
    case end
    /// Wait for a change after this one.
    case nothingNew(Int)
  }

  fileprivate struct Counts: Sendable, Equatable {
    var written: Int64 = 0
    var expected: Int64 = -1
  }

  private struct State {
    var resumed: Counts?
    var progress: Counts?
    var end: Result<FinishedFile, URLError>?
    var readers = 0
    /// The finished file as long as nobody has been given it.
    var file: FinishedFile?
    var changes = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var nextWaiter = 0
  }

  private let state = Mutex(State())

  deinit { state.withLock { $0.file }?.removeIfUnchanged() }

  // MARK: Posting

  func postResume(at offset: Int64, expected: Int64) {
    change { $0.resumed = Counts(written: offset, expected: expected) }
  }

  func postProgress(written: Int64, expected: Int64) {
    change { $0.progress = Counts(written: written, expected: expected) }
  }

  /// Replaces progress that was posted, because the last bytes may not have been reported yet.
  func updateProgress(written: Int64, expected: Int64) {
    change { if $0.progress != nil { $0.progress = Counts(written: written, expected: expected) } }
  }

  /// Takes over a temporary file after those it was offered to have returned, and removes it when nobody is left to
  /// want it.
  func takeOver(_ file: FinishedFile, wasOffered: Bool) {
    let isUnwanted = state.withLock { state in
      guard wasOffered, state.readers == 0 else {
        state.file = file
        return false
      }
      return true
    }
    if isUnwanted { file.removeIfUnchanged() }
  }

  /// Posts the end; only the first one counts.
  func postEnd(_ result: @autoclosure () -> Result<FinishedFile, URLError>) {
    change { $0.end = $0.end ?? result() }
  }

  private func change(_ body: (inout State) -> Void) {
    let waiters = state.withLock { state in
      body(&state)
      state.changes += 1
      defer { state.waiters = [:] }
      return state.waiters
    }
    for waiter in waiters.values { waiter.resume() }
  }

  // MARK: Reading

  /// Counts as one reader while it lives.
  final class Reader: Sendable {
    let board: EventBoard

    init(_ board: EventBoard) {
      self.board = board
      board.state.withLock { $0.readers += 1 }
    }

    deinit { board.state.withLock { $0.readers -= 1 } }
  }

  /// The next news after a place, which moves on.
  func read(_ place: inout Place) -> Reading {
    state.withLock { state in
      if place.hasSeenEnd { return .end }
      if !place.hasSeenResume, let resumed = state.resumed {
        place.hasSeenResume = true
        place.progress = resumed
        return .event(.resumed(offset: resumed.written, expected: resumed.expected))
      }
      if let progress = state.progress, progress != place.progress {
        place.progress = progress
        return .event(.progress(written: progress.written, expected: progress.expected))
      }
      guard let end = state.end else { return .nothingNew(state.changes) }
      place.hasSeenEnd = true
      switch end {
      case .failure(let error): return .failure(error)
      case .success(let file):
        state.file = nil
        return .event(.finished(file.url))
      }
    }
  }

  /// Returns when something has changed since, or when the Swift task is cancelled.
  func waitForChange(after seen: Int) async {
    let key = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mustWait = state.withLock { state in
          // A cancellation that came before finds nobody to resume.
          guard state.changes == seen, !Task.isCancelled else { return false }
          state.waiters[key] = continuation
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: key) }?.resume()
    }
  }
}
