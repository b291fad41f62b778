import Foundation

/// Decides when a progress line is due and puts it on standard error.
struct ProgressReport {
  private static let window: Duration = .seconds(5)
  private let isTerminal: Bool
  private let interval: Duration
  private var due: ContinuousClock.Instant
  private var samples: [(time: ContinuousClock.Instant, received: Int64)] = []
  private var isLineDrawn = false

  /// Redraws one line ten times a second on a terminal, writes a line every five seconds elsewhere.
  init(isTerminal: Bool) {
    self.isTerminal = isTerminal
    interval = isTerminal ? .milliseconds(100) : .seconds(5)
    due = .now + (isTerminal ? .milliseconds(500) : interval)
  }

  /// Takes note of the state and shows it if a line is due.
  mutating func update(received: Int64, total: Int64?) {
    let now = ContinuousClock.now
    record(now, received)
    guard now >= due else { return }
    due = now + interval
    let line = ProgressLine(received: received, total: total, speed: speed)
    guard isTerminal else { return Output.message(line.text(width: .max)) }
    // The last column stays free: writing into it makes some terminals wrap.
    Output.raw("\r" + line.text(width: Output.width - 1) + "\u{1B}[K")
    isLineDrawn = true
  }

  /// Makes room for a message; the next update draws the line again.
  mutating func interrupt() {
    if isLineDrawn { Output.raw("\r\u{1B}[K") }
    isLineDrawn = false
  }

  private mutating func record(_ now: ContinuousClock.Instant, _ received: Int64) {
    // Samples at a tenth of a second are enough for the speed and keep the list short.
    if let last = samples.last, last.time.duration(to: now) < .milliseconds(100) { return }
    samples.append((now, received))
    samples.removeAll { $0.time.duration(to: now) > Self.window }
  }

  private var speed: Double? {
    guard let first = samples.first, let last = samples.last, last.time > first.time else { return nil }
    let seconds = first.time.duration(to: last.time) / .seconds(1)
    return Double(last.received - first.received) / seconds
  }
}
