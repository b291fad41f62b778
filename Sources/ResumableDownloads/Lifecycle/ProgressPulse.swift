internal import Foundation

/// Reports progress to the observer at most so many times a second, and never loses the last byte.
///
/// Confined to the loop's thread.
final class ProgressPulse {
  private static let nanoseconds: UInt64 = 1_000_000_000 / 30

  private let loop: TransferLoop
  private let observer: any DownloadObserver
  private var last: UInt64 = 0
  private var timer: LoopTimer?

  init(loop: TransferLoop, observer: any DownloadObserver) {
    self.loop = loop
    self.observer = observer
  }

  /// At the end of the loop's turn when the last report is old enough, else later.
  ///
  /// Not at once: the end of a small file often comes in the same turn, and then both are told together.
  func beat() {
    guard timer == nil else { return }
    let due = last &+ Self.nanoseconds
    timer = loop.after(nanoseconds: due > loop.now ? due - loop.now : 0) { [weak self] in self?.report() }
  }

  /// No report comes any more, after that of the first bytes.
  func stop() {
    guard let timer else { return }
    timer.cancel()
    if last == 0 { report() }
  }

  private func report() {
    timer = nil
    last = loop.now
    observer.didProgress()
  }
}
