internal import Dispatch
internal import Foundation
internal import Synchronization

/// The `Progress` of one task: the bytes of the whole file, how fast they come, and how long the rest will take.
///
/// FoundationNetworking's `Progress` has no lock of its own, and a child also changes its parents, which may have
/// children in several sessions with a thread each; so all updates of all tasks happen under one lock.
final class DownloadProgress: Progress, @unchecked Sendable {
  // The base class's counts are only changed under `tree`, and its dictionary is only used under `facts`.

  private struct Facts {
    var rate = TransferRate()
    var remaining: Int64?
    var isFinished = false
  }

  private static let tree = Mutex(())
  private let facts = Mutex(Facts())

  /// Neither a child of the thread's current progress nor of any other, so that it can be made one.
  init() {
    super.init(parent: nil)
    totalUnitCount = -1
    kind = .file
    isCancellable = true
    isPausable = true
    fileOperationKind = .downloading
  }

  /// Takes over the counts of the task. Several threads may do so: the counts are read under the lock, so that older
  /// ones never come last.
  func update(from counters: DownloadCounters) {
    Self.tree.withLock { _ in
      set(written: counters.written.load(ordering: .relaxed), expected: counters.expected.load(ordering: .relaxed))
    }
  }

  /// Takes over the final count, which is the total also of a file whose length was unknown.
  func finish(written: Int64) {
    facts.withLock { $0.isFinished = true }
    // Of 0 of 0 units FoundationNetworking never says that they are finished, and a parent would wait for ever.
    Self.tree.withLock { _ in set(written: max(1, written), expected: max(1, written)) }
  }

  private func set(written: Int64, expected: Int64) {
    // As soon as a child's count reaches its total, its parent counts it as finished for good: on the way from one pair
    // to the other that must not happen by the way.
    if written < completedUnitCount { completedUnitCount = written }
    totalUnitCount = expected
    completedUnitCount = written
    facts.withLock { facts in
      facts.remaining = expected < 0 ? nil : max(0, expected - written)
      if !facts.isFinished { facts.rate.add(bytes: written, at: Self.now) }
    }
  }

  private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1_000_000_000 }

  // MARK: User info

  /// What was set, with the speed and the remaining time of this moment.
  override var userInfo: [ProgressUserInfoKey: Any] {
    var info: [ProgressUserInfoKey: Any] = [:]
    facts.withLock { facts in
      info = super.userInfo
      guard let rate = facts.rate.bytesPerSecond(at: facts.isFinished ? 0 : Self.now) else { return }
      info[.throughputKey] = NSNumber(value: Int(rate))
      guard let remaining = facts.remaining, remaining == 0 || rate > 0 else { return }
      info[.estimatedTimeRemainingKey] = NSNumber(value: remaining == 0 ? 0 : Double(remaining) / rate)
    }
    return info
  }

  override func setUserInfoObject(_ object: Any?, forKey key: ProgressUserInfoKey) {
    facts.withLock { _ in super.setUserInfoObject(object, forKey: key) }
  }
}
