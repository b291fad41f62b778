/// Everything that the display knows about the downloads of a run. Times are seconds since it began.
struct Board: Sendable {
  /// Silence shorter than this is not worth a word.
  static let silence = 3.0

  private struct Item: Sendable {
    var name: String
    var received: Int64 = 0
    var total: Int64?
    var meter = SpeedMeter()
    var lastByte: Double
    var note: String?
    var isSilenceTold = false
  }

  let count: Int
  private var running: [Int: Item] = [:]
  private var finished = 0
  private var failed = 0
  /// Bytes of the downloads that have ended.
  private var finishedBytes: Int64 = 0
  /// Bytes that came in this run.
  private var arrived: Int64 = 0
  private var meter = SpeedMeter()

  init(count: Int) {
    self.count = count
  }

  var isIdle: Bool { running.isEmpty }

  mutating func begin(_ number: Int, name: String, at time: Double) {
    running[number] = Item(name: name, lastByte: time)
  }

  mutating func rename(_ number: Int, _ name: String) { running[number]?.name = name }

  /// What is done with the file instead of fetching it, nil while it is fetched.
  mutating func note(_ number: Int, _ note: String?) { running[number]?.note = note }

  /// The file has `received` bytes by what was there before.
  mutating func resume(_ number: Int, received: Int64, at time: Double) {
    running[number]?.received = received
    running[number]?.meter = SpeedMeter()
    running[number]?.meter.record(received, at: time)
  }

  mutating func update(_ number: Int, received: Int64, total: Int64?, at time: Double) {
    guard var item = running[number] else { return }
    arrived += max(0, received - item.received)
    (item.received, item.total, item.lastByte) = (received, total, time)
    item.isSilenceTold = false
    item.meter.record(received, at: time)
    running[number] = item
    meter.record(arrived, at: time)
  }

  mutating func end(_ number: Int, _ outcome: Outcome) {
    guard let item = running.removeValue(forKey: number) else { return }
    finishedBytes += item.received
    if outcome.isComplete { finished += 1 }
    if outcome.failure != nil { failed += 1 }
  }

  /// The names of downloads for which nothing has come for a while, each once for each silence.
  mutating func takeSilent(at time: Double) -> [String] {
    let silent = running.keys.sorted().filter { number in
      guard let item = running[number] else { return false }
      return item.note == nil && !item.isSilenceTold && time - item.lastByte >= Self.silence
    }
    for number in silent { running[number]?.isSilenceTold = true }
    return silent.compactMap { running[$0]?.name }
  }

  /// - Parameter rows: For how many lines there is room.
  func table(at time: Double, rows limit: Int = .max) -> ProgressTable {
    let numbers = running.keys.sorted()
    // Room for one line at least, and for the summary.
    let shown = max(1, limit - (count > 1 ? 1 : 0))
    return ProgressTable(
      rows: numbers.prefix(shown).compactMap { running[$0].map { row($0, at: time) } },
      summary: count > 1 ? summary(at: time) : nil, hidden: max(0, numbers.count - shown))
  }

  private func row(_ item: Item, at time: Double) -> ProgressTable.Row {
    let silent = time - item.lastByte
    let note = item.note ?? (silent >= Self.silence ? "waiting for \(Amount.time(Int(silent)))" : nil)
    return ProgressTable.Row(
      name: item.name, received: item.received, total: item.total, speed: item.meter.speed(at: time), note: note)
  }

  private func summary(at time: Double) -> ProgressTable.Summary {
    // Of files that have not begun nothing is known, so then there is no whole.
    let areAllKnown = running.count + finished + failed == count
    let totals = running.values.map(\.total)
    let total = areAllKnown && totals.allSatisfy { $0 != nil } ? totals.reduce(finishedBytes) { $0 + ($1 ?? 0) } : nil
    return ProgressTable.Summary(
      finished: finished, failed: failed, count: count,
      received: finishedBytes + running.values.reduce(0) { $0 + $1.received }, total: total,
      speed: meter.speed(at: time))
  }
}
