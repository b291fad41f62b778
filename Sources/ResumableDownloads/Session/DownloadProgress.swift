internal import Dispatch
internal import Foundation
internal import Synchronization

/// The `Progress` of one task: the bytes of the whole file, how fast they come, and how long the rest will take.
///
/// FoundationNetworking's `Progress` has no lock of its own, and a child also changes its parents, which may have
/// children in several sessions with a thread each; so all updates of all tasks happen under one lock.
// The base class's counts are only changed, and everything else here only used, under `lock`; callers merely read
// counts.
final class DownloadProgress: Progress, @unchecked Sendable {
  private static let lock = Mutex(())

  private var rate = TransferRate()
  private var hasEnded = false

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
  /// ones never come last. No effect after `finish`.
  func update(from counters: DownloadCounters) {
    Self.lock.withLock { _ in
      guard !hasEnded else { return }
      let expected = counters.expected.load(ordering: .relaxed)
      // To go from some total to 0 traps in FoundationNetworking; the end is told by `finish`.
      set(written: counters.written.load(ordering: .relaxed), expected: expected > 0 ? expected : -1)
    }
  }

  /// Takes over the final count, which is the total also of a file whose length was unknown.
  func finish(written: Int64) {
    Self.lock.withLock { _ in
      // Of 0 of 0 units FoundationNetworking never says that they are finished, and a parent would wait for ever.
      set(written: max(1, written), expected: max(1, written))
      hasEnded = true
    }
  }

  private func set(written: Int64, expected: Int64) {
    // As soon as a child's count reaches its total, its parent counts it as finished for good: on the way from one pair
    // to the other that must not happen by the way.
    if written < completedUnitCount { completedUnitCount = written }
    totalUnitCount = expected
    completedUnitCount = written
    rate.add(bytes: written, at: Self.now)
  }

  private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1_000_000_000 }

  // MARK: User info

  /// What was set, with the speed and the remaining time of this moment.
  override var userInfo: [ProgressUserInfoKey: Any] {
    var info: [ProgressUserInfoKey: Any] = [:]
    Self.lock.withLock { _ in
      info = super.userInfo
      // At the end the last speed stays.
      guard let speed = hasEnded ? rate.bytesPerSecond : rate.bytesPerSecond(at: Self.now) else { return }
      info[.throughputKey] = NSNumber(value: Int(speed))
      let remaining = totalUnitCount - completedUnitCount
      guard totalUnitCount > 0, remaining <= 0 || speed > 0 else { return }
      info[.estimatedTimeRemainingKey] = NSNumber(value: remaining <= 0 ? 0 : Double(remaining) / speed)
    }
    return info
  }

  override func setUserInfoObject(_ object: Any?, forKey key: ProgressUserInfoKey) {
    Self.lock.withLock { _ in super.setUserInfoObject(object, forKey: key) }
  }
}
