import Foundation
import FoundationNetworking
import ResumableDownloads

/// The transfer itself.
extension Download {
  /// Downloads to the hidden name, from where an earlier run has stopped if there was one.
  func fetch() async throws -> Fetched {
    let watcher = TransferWatcher()
    let destination = URL(fileURLWithPath: entry.stagedPath)
    let task = context.session.downloadTask(with: context.request(entry.url), to: destination)
    task.delegate = watcher
    return try await context.stop.during(
      stop: { task.cancel(byProducingResumeData: { _ in }) },
      run: {
        task.resume()
        return try await follow(task, watcher.events)
      })
  }

  private func follow(_ task: DownloadTask, _ events: AsyncStream<TransferEvent>) async throws -> Fetched {
    let reporter = Reporter(entry: entry, context: context)
    var isResumed = false
    var early: Result<Outcome, any Error>?
    var isHeadSeen = false
    var end: (any Error)?
    for await event in events {
      switch event {
      case .resumed(let offset):
        isResumed = offset > 0
        reporter.resumed(at: offset)
      case .received(let count, let total): reporter.received(count, of: total)
      case .delivered: break
      case .completed(let error): end = error
      }
      guard !isHeadSeen, let response = task.response as? HTTPURLResponse else { continue }
      isHeadSeen = true
      reporter.exchanged(task.currentRequest, response)
      guard response.statusCode < 300, let outcome = await outcomeByName(response) else { continue }
      early = outcome
      task.cancel()
    }
    if let early {
      // It may have come to its end before it was cancelled.
      _ = unlink(entry.stagedPath)
      return .ended(try early.get())
    }
    return try conclude(task, end, isResumed: isResumed)
  }

  /// What a transfer has come to.
  private func conclude(_ task: DownloadTask, _ error: (any Error)?, isResumed: Bool) throws -> Fetched {
    if let error {
      let failure = Failure(error, response: task.response)
      guard context.stop.isAsked else { throw failure }
      return .ended(.stopped(offset: failure.offset ?? ExistingFile(path: entry.stagedPath)?.size))
    }
    guard let response = task.response as? HTTPURLResponse, response.statusCode < 300 else {
      // All bytes were there already, so nothing was asked, or the answer was that there are no more (416).
      return .staged(Staged(isResumed: true))
    }
    prepare(response)
    return .staged(Staged(response: response, isResumed: isResumed || response.statusCode == 206))
  }

  /// What the name that an answer suggests decides before the body is there; nil if the body is wanted.
  private func outcomeByName(_ response: HTTPURLResponse) async -> Result<Outcome, any Error>? {
    do {
      // While those before it have yet to take theirs, nothing is told of the bytes that come.
      context.console.change { board, _ in board.note(entry.number, "waiting for its name") }
      let name = await name(for: response)
      context.console.change { board, _ in
        board.note(entry.number, nil)
        board.rename(entry.number, name)
      }
      _ = try context.checksum(for: name)
      guard name != entry.name, let outcome = try await existing(name, response: response) else { return nil }
      return .success(outcome)
    } catch {
      return .failure(error)
    }
  }
}
