import Foundation
import FoundationNetworking
import ResumableDownloads

/// One entry on its way from a URL to a file whose content is right.
///
/// The session downloads to a hidden name beside the final one. Only when checksums, time and name are settled does the
/// file appear, in one step.
struct Download {
  /// A whole file under its hidden name.
  struct Staged {
    var response: HTTPURLResponse?
    /// Whether parts of it come from different requests.
    var isResumed: Bool
  }

  /// What fetching ends with if nothing fails.
  enum Fetched {
    case staged(Staged)
    /// There is nothing more to do.
    case ended(Outcome)
  }

  let entry: Entry
  let context: RunContext
  private var options: Options { context.options }

  func run() async -> Outcome {
    let reporter = Reporter(entry: entry, context: context)
    reporter.began()
    let outcome: Outcome
    do {
      outcome = try await complete()
    } catch {
      outcome = .failed(error as? Failure ?? Failure(error))
    }
    context.names.settle(entry.number)
    reporter.ended(outcome)
    return outcome
  }

  private func complete() async throws -> Outcome {
    if let outcome = try await existing(entry.name) {
      // What a run has left that was killed when the file had just got its name.
      if outcome.isComplete { _ = unlink(entry.stagedPath) }
      return outcome
    }
    if options.isFresh { try Leftover.forget(entry) }
    var staged = try await leftOver()
    var mayRepeat = true
    while true {
      if let whole = staged {
        if let outcome = try await conclude(whole, mayRepeat: mayRepeat) { return outcome }
        (staged, mayRepeat) = (nil, false)
      }
      switch try await fetch() {
      // Without an answer nobody knows yet whether the server still has this version.
      case .staged(let whole): staged = whole.response == nil ? try await leftOver() : whole
      case .ended(let outcome): return outcome
      }
    }
  }

  /// Checks a whole file and gives it its name; nil if it is wrong, and may be so only because it came in parts.
  private func conclude(_ whole: Staged, mayRepeat: Bool) async throws -> Outcome? {
    let name = await name(for: whole.response)
    switch try await verify(whole, name) {
    case .stopped: return .stopped(offset: ExistingFile(path: entry.stagedPath)?.size)
    case .right: return try await publish(whole, name)
    case .wrong(let reason):
      _ = unlink(entry.stagedPath)
      guard whole.isResumed, mayRepeat else {
        throw Failure(.checksum, "the file is not the right one: \(reason)", advice: "Nothing was kept.")
      }
      context.console.message("\(entry.name): \(reason); once more from the beginning")
      return nil
    }
  }

  // MARK: What is there already

  /// What to do about a file that exists under the final name; nil if there is none, or it may be replaced.
  func existing(_ name: String, response: HTTPURLResponse? = nil) async throws -> Outcome? {
    let path = Entry.path(entry.directory, name)
    guard let file = ExistingFile(path: path) else { return nil }
    guard !file.isFolder else {
      throw Failure(.someFailed, "\(path) is a folder", advice: "Give the file another name with -o.")
    }
    if options.overwrites { return nil }
    let left = "\(path) exists already and was left as it is"
    if let checksum = try context.checksum(for: name), file.size != nil {
      switch try await Verification.verify(path, [checksum], isCancelled: { context.stop.isAsked }) {
      case .right: return .skipped(path: path)
      case .stopped: return .stopped(offset: nil)
      case .wrong(let reason): throw Failure(.checksum, "\(left); \(reason)", advice: "--overwrite replaces it.")
      }
    }
    var answer = response
    if answer == nil { answer = try await head(otherwise: left) }
    guard let answer else { return .stopped(offset: nil) }
    let doubt: String
    switch file.verdict(AnsweredVersion(answer)) {
    case .same: return .skipped(path: path)
    case .different: doubt = ", though it is not what the server has"
    case .changed: doubt = "; it was changed after it was saved"
    case .unknown: doubt = "; the server does not tell whether it is complete"
    }
    throw Failure(.someFailed, left + doubt, advice: "--overwrite replaces it.")
  }

  /// The whole file that a process has left which ended before it could check it.
  private func leftOver() async throws -> Staged? {
    guard let file = ExistingFile(path: entry.stagedPath) else { return nil }
    try Leftover.forgetJournals(entry)
    if let response = try await head(otherwise: "a complete file has yet to be checked"),
      file.verdict(AnsweredVersion(response)) == .same
    {
      if file.note == .none { prepare(response) }
      return Staged(response: response, isResumed: true)
    }
    if !context.stop.isAsked { _ = unlink(entry.stagedPath) }
    return nil
  }

  // MARK: The end

  /// The name of the file, by what an answer says.
  func name(for response: HTTPURLResponse?) async -> String {
    guard !entry.isNameFixed, let response else { return entry.name }
    return await context.names.name(for: entry, suggested: FileName.suggested(asked: entry.url, response: response))
  }

  private func verify(_ staged: Staged, _ name: String) async throws -> Verification.Verdict {
    var expected = staged.response.map(ServerDigests.checksums) ?? []
    do {
      if let checksum = try context.checksum(for: name) { expected.insert(checksum) }
    } catch {
      // It would fail with the same file again.
      _ = unlink(entry.stagedPath)
      throw error
    }
    if !expected.isEmpty { context.console.change { board, _ in board.note(entry.number, "checking") } }
    return try await Verification.verify(entry.stagedPath, expected, isCancelled: { context.stop.isAsked })
  }

  /// What can be said of a whole file before it is checked.
  func prepare(_ response: HTTPURLResponse) {
    let answer = AnsweredVersion(response)
    Publication.prepare(
      entry.stagedPath, modified: options.keepsRemoteTime ? HTTPTime.date(answer.lastModified) : nil,
      version: SavedVersion(source: entry.source, answer))
  }

  private func publish(_ staged: Staged, _ name: String) async throws -> Outcome {
    let path = Entry.path(entry.directory, name)
    let size = ExistingFile(path: entry.stagedPath)?.size ?? 0
    let result = try Publication.publish(entry.stagedPath, as: path, replacing: options.overwrites)
    if result == .published { return .saved(path: path, bytes: size) }
    // Somebody else has put a file there while this one came.
    let outcome = try await existing(name, response: staged.response)
    _ = unlink(entry.stagedPath)
    return outcome ?? .failed(Failure(.someFailed, "\(path) was there for a moment", advice: "Try again."))
  }
}
