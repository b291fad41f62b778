import Dispatch

/// Lets a console draw at most ten times a second, for as long as the value lives.
final class Ticker {
  private static let interval = DispatchTimeInterval.milliseconds(100)
  private let timer: any DispatchSourceTimer

  init(_ console: Console) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "rget.console"))
    timer.setEventHandler { console.tick() }
    timer.schedule(deadline: .now(), repeating: Self.interval)
    timer.resume()
  }

  deinit { timer.cancel() }
}
