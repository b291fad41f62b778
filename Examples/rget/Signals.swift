import Dispatch
import Foundation
import Synchronization

/// SIGINT, SIGTERM and SIGHUP as calls, for as long as the value lives.
final class Signals {
  private let sources: [any DispatchSourceSignal]

  /// Returns when they are looked out for: one that came before would be lost.
  ///
  /// - Parameter handler: Gets the first signal, on a queue of its own. A second one ends the process at once.
  init(_ handler: @escaping @Sendable (Int32) -> Void) {
    let queue = DispatchQueue(label: "rget.signals")
    let hasFired = Flag()
    let registered = DispatchGroup()
    sources = Self.numbers.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        if hasFired.raise() { _exit(128 + number) }
        handler(number)
      }
      registered.enter()
      source.setRegistrationHandler { registered.leave() }
      source.resume()
      return source
    }
    registered.wait()
  }

  deinit {
    for source in sources { source.cancel() }
  }

  /// Under nohup(1) the end of the terminal is ignored, and stays so.
  private static var numbers: [Int32] {
    var action = sigaction()
    sigaction(SIGHUP, nil, &action)
    let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    let isIgnored = handler == unsafeBitCast(SIG_IGN, to: Int.self)
    return [SIGINT, SIGTERM] + (isIgnored ? [] : [SIGHUP])
  }
}

/// A flag that several closures share.
private final class Flag: Sendable {
  private let isRaised = Atomic(false)

  /// Raises the flag and returns whether it was up before.
  func raise() -> Bool { isRaised.exchange(true, ordering: .relaxed) }
}
