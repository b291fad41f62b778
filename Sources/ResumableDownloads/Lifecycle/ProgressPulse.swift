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

  /// At once when the last report is old enough, else by a timer.
  func beat() {
    let due = last &+ Self.nanoseconds
    if loop.now >= due { return report() }
    guard timer == nil else { return }
    timer = loop.after(nanoseconds: due - loop.now) { [weak self] in
      self?.timer = nil
      self?.report()
    }
  }

  /// No report comes any more.
  func stop() { timer?.cancel() }

  private func report() {
    last = loop.now
    observer.didProgress()
  }
}
