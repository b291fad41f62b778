import Foundation
import ResumableDownloads

/// All downloads of one command.
enum Run {
  /// Returns the exit status.
  static func run(_ options: Options) async throws(UsageError) -> Int32 {
    let context = try RunContext(try Password.complete(options))
    signal(SIGPIPE, SIG_IGN)
    let signals = Signals { context.stop.ask($0) }
    Output.onBrokenPipe { [stop = context.stop] in stop.ask(SIGPIPE) }
    let ticker = Ticker(context.console)
    defer { withExtendedLifetime((signals, ticker)) {} }
    for note in context.plan.notes { context.console.message(note) }
    let outcomes = await fetchAll(context)
    // The sync that follows a pause belongs to the download.
    await withCheckedContinuation { continuation in context.session.flush { continuation.resume() } }
    context.session.finishTasksAndInvalidate()
    context.console.close()
    return conclude(context, outcomes)
  }

  /// As many at once as the options allow, in the order of the plan.
  private static func fetchAll(_ context: RunContext) async -> [Outcome] {
    await withTaskGroup(of: Outcome.self) { group in
      var outcomes: [Outcome] = []
      var waiting = context.plan.entries[...]
      var running = 0
      while !waiting.isEmpty || running > 0 {
        while running < context.options.atOnce, !context.stop.isAsked, let entry = waiting.popFirst() {
          running += 1
          group.addTask { await Download(entry: entry, context: context).run() }
        }
        guard running > 0, let outcome = await group.next() else { break }
        running -= 1
        outcomes.append(outcome)
      }
      return outcomes
    }
  }

  private static func conclude(_ context: RunContext, _ outcomes: [Outcome]) -> Int32 {
    let count = context.plan.entries.count
    let complete = outcomes.filter(\.isComplete).count
    let failures = outcomes.compactMap(\.failure)
    var status = ExitCode.of(failures.map(\.status)).rawValue
    var end = ""
    if complete < count, let signal = context.stop.signal {
      status = 128 + signal
      end = "; run the same command again to continue"
    } else if failures.contains(where: { $0.offset != nil }) {
      end = "; the same command again continues"
    }
    if count > 1 {
      let failed = failures.isEmpty ? "" : ", \(failures.count) failed"
      context.console.message("\(complete) of \(count) complete\(failed)\(end)")
    }
    context.console.event(JSONEvent(event: .end, status: status, complete: complete, incomplete: count - complete))
    return status
  }
}
