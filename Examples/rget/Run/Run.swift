import Foundation
import ResumableDownloads

/// All downloads of one command.
enum Run {
  /// Returns the exit status.
  static func run(_ options: Options) async throws(UsageError) -> Int32 {
    let work = try Work(try Password.complete(options))
    signal(SIGPIPE, SIG_IGN)
    let signals = Signals { work.stop.ask($0) }
    Output.onBrokenPipe { [stop = work.stop] in stop.ask(SIGPIPE) }
    let ticker = Ticker(work.console)
    defer { withExtendedLifetime((signals, ticker)) {} }
    for note in work.plan.notes { work.console.message(note) }
    let outcomes = await fetchAll(work)
    // The sync that follows a pause belongs to the download.
    await withCheckedContinuation { continuation in work.session.flush { continuation.resume() } }
    work.session.finishTasksAndInvalidate()
    work.console.close()
    return conclude(work, outcomes)
  }

  /// As many at once as the options allow, in the order of the plan.
  private static func fetchAll(_ work: Work) async -> [Outcome] {
    await withTaskGroup(of: Outcome.self) { group in
      var outcomes: [Outcome] = []
      var waiting = work.plan.entries[...]
      var running = 0
      while !waiting.isEmpty || running > 0 {
        while running < work.options.atOnce, !work.stop.isAsked, let entry = waiting.popFirst() {
          running += 1
          group.addTask { await Download(entry: entry, work: work).run() }
        }
        guard running > 0, let outcome = await group.next() else { break }
        running -= 1
        outcomes.append(outcome)
      }
      return outcomes
    }
  }

  private static func conclude(_ work: Work, _ outcomes: [Outcome]) -> Int32 {
    let count = work.plan.entries.count
    let complete = outcomes.filter(\.isComplete).count
    let failures = outcomes.compactMap(\.failure)
    var status = ExitCode.of(failures.map(\.status)).rawValue
    var end = ""
    if complete < count, let signal = work.stop.signal {
      status = 128 + signal
      end = "; run the same command again to continue"
    } else if failures.contains(where: { $0.offset != nil }) {
      end = "; the same command again continues"
    }
    if count > 1 {
      let failed = failures.isEmpty ? "" : ", \(failures.count) failed"
      work.console.message("\(complete) of \(count) complete\(failed)\(end)")
    }
    work.console.event(JSONEvent(event: .end, status: status, complete: complete, incomplete: count - complete))
    return status
  }
}
