import Foundation
import FoundationNetworking

/// Says what happens to one download: on the display, in plain words and as events.
struct Teller {
  let entry: Entry
  let work: Work
  private var console: Console { work.console }
  private var isOnly: Bool { work.plan.entries.count == 1 }

  func began() {
    console.change { $0.begin(entry.number, name: entry.name, at: $1) }
    console.event(JSONEvent(event: .start, url: Masked.url(entry.url), file: entry.path))
  }

  func resumed(at offset: Int64) {
    console.change { $0.resume(entry.number, received: offset, at: $1) }
    console.message((isOnly ? "" : "\(entry.name): ") + "continuing from byte \(offset)")
    console.event(JSONEvent(event: .resume, url: Masked.url(entry.url), offset: offset))
  }

  func received(_ count: Int64, of total: Int64?) {
    console.change { $0.update(entry.number, received: count, total: total, at: $1) }
    if console.isProgressEventDue(entry.number) {
      console.event(JSONEvent(event: .progress, url: Masked.url(entry.url), received: count, total: total))
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
    let url = Masked.url(entry.url)
    switch outcome {
    case .saved(let path, let bytes):
      console.message("saved \(path), \(Amount.bytes(bytes))")
      console.event(JSONEvent(event: .saved, url: url, file: path, received: bytes))
    case .skipped(let path):
      console.message("\(path) is complete already")
      console.event(JSONEvent(event: .skipped, url: url, file: path))
    case .failed(let failure):
      let place = isOnly ? "" : "\(entry.name): "
      let advice = failure.advice.isEmpty ? "" : " \(failure.advice)"
      console.message("rget: \(place)\(failure.reason).\(advice)", isFailure: true)
      console.event(
        JSONEvent(
          event: .failed, url: url, offset: failure.offset, error: failure.reason, status: failure.status.rawValue))
    case .stopped(let offset):
      let place = isOnly ? "" : "\(entry.name): "
      console.message(
        offset.map { "\(place)stopped at byte \($0); run the same command again to continue from there" }
          ?? "\(place)stopped; run the same command again")
      console.event(JSONEvent(event: .stopped, url: url, offset: offset))
    }
  }
}
