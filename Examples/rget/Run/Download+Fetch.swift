import Foundation
import FoundationNetworking
import ResumableDownloads

/// The transfer itself.
extension Download {
  /// Downloads to the hidden name, from where an earlier run has stopped if there was one.
  func fetch() async throws -> Fetched {
    let watcher = TransferWatcher()
    let destination = URL(fileURLWithPath: entry.stagedPath)
    let task = work.session.downloadTask(with: work.request(entry.url), to: destination)
    task.delegate = watcher
    return try await work.stop.during(
      stop: { task.cancel(byProducingResumeData: { _ in }) },
      run: {
        task.resume()
        return try await follow(task, watcher.events)
      })
  }

  private func follow(_ task: DownloadTask, _ events: AsyncStream<TransferEvent>) async throws -> Fetched {
    let teller = Teller(entry: entry, work: work)
    var isResumed = false
    var early: Result<Outcome, any Error>?
    var isHeadSeen = false
    var end: (any Error)?
    for await event in events {
      switch event {
      case .resumed(let offset):
        isResumed = offset > 0
        teller.resumed(at: offset)
      case .received(let count, let total): teller.received(count, of: total)
      case .delivered: break
      case .completed(let error): end = error
      }
      guard !isHeadSeen, let response = task.response as? HTTPURLResponse else { continue }
      isHeadSeen = true
      teller.exchanged(task.currentRequest, response)
      guard response.statusCode < 300, let outcome = await look(response) else { continue }
      early = outcome
      task.cancel()
    }
    if let early {
      // It may have come to its end before it was cancelled.
      _ = unlink(entry.stagedPath)
      return .ended(try early.get())
    }
    guard let end else {
      // All bytes were there already, so nothing was asked, or the answer was that there are no more (416).
      guard let response = task.response as? HTTPURLResponse, response.statusCode < 300 else {
        return .staged(Staged(isResumed: true))
      }
      prepare(response)
      return .staged(Staged(response: response, isResumed: isResumed || response.statusCode == 206))
    }
    let failure = Failure(end, response: task.response)
    if work.stop.isAsked {
      return .ended(.stopped(offset: failure.offset ?? ExistingFile(path: entry.stagedPath)?.size))
    }
    throw failure
  }

  /// Looks at the name that the answer suggests before the body is there: it may be taken.
  private func look(_ response: HTTPURLResponse) async -> Result<Outcome, any Error>? {
    do {
      // While those before it have yet to take theirs, nothing is told of the bytes that come.
      work.console.change { board, _ in board.note(entry.number, "waiting for its name") }
      let name = await name(for: response)
      work.console.change { board, _ in
        board.note(entry.number, nil)
        board.rename(entry.number, name)
      }
      _ = try work.checksum(for: name)
      guard name != entry.name, let outcome = try await existing(name, response: response) else { return nil }
      return .success(outcome)
    } catch {
      return .failure(error)
    }
  }
}
