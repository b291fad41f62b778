import Foundation
import FoundationNetworking

/// Says what happens to one download: on the display, in plain words and as events.
struct Reporter {
  let entry: Entry
  let context: RunContext
  private var console: Console { context.console }
  private var url: String { Masked.url(entry.url) }
  /// What tells the messages of several downloads apart.
  private var prefix: String { context.plan.entries.count == 1 ? "" : "\(entry.name): " }

  func began() {
    console.change { $0.begin(entry.number, name: entry.name, at: $1) }
    console.event(JSONEvent(event: .start, url: url, file: entry.path))
  }

  func resumed(at offset: Int64) {
    console.change { $0.resume(entry.number, received: offset, at: $1) }
    console.message("\(prefix)continuing from byte \(offset)")
    console.event(JSONEvent(event: .resume, url: url, offset: offset))
  }

  func received(_ count: Int64, of total: Int64?) {
    console.change { $0.update(entry.number, received: count, total: total, at: $1) }
    if console.isProgressEventDue(entry.number) {
      console.event(JSONEvent(event: .progress, url: url, received: count, total: total))
    }
  }

  /// What was sent and what came back, for `-v`.
  func exchanged(_ request: URLRequest?, _ response: HTTPURLResponse) {
    let sent = (request?.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
    let received = response.allHeaderFields.map { ("\($0.key)", "\($0.value)") }.sorted { $0.0 < $1.0 }
    console.verbose(
      ["> \(request?.httpMethod ?? "GET") \(Masked.url(response.url ?? entry.url))"]
        + sent.map { "> " + Masked.field($0.key, $0.value) } + ["< \(response.statusCode)"]
        + received.map { "< " + Masked.field($0.0, $0.1) })
  }

  func ended(_ outcome: Outcome) {
    console.change { board, _ in board.end(entry.number, outcome) }
    switch outcome {
    case .saved(let path, let bytes):
      console.message("saved \(path), \(Amount.bytes(bytes))")
      console.event(JSONEvent(event: .saved, url: url, file: path, received: bytes))
    case .skipped(let path):
      console.message("\(path) is complete already")
      console.event(JSONEvent(event: .skipped, url: url, file: path))
    case .failed(let failure):
      let advice = failure.advice.isEmpty ? "" : " \(failure.advice)"
      console.message("rget: \(prefix)\(failure.reason).\(advice)", isFailure: true)
      console.event(
        JSONEvent(
          event: .failed, url: url, offset: failure.offset, error: failure.reason, status: failure.status.rawValue))
    case .stopped(let offset):
      console.message(
        offset.map { "\(prefix)stopped at byte \($0); run the same command again to continue from there" }
          ?? "\(prefix)stopped; run the same command again")
      console.event(JSONEvent(event: .stopped, url: url, offset: offset))
    }
  }
}
