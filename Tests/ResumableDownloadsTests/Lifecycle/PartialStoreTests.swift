internal import Dispatch
internal import Foundation
internal import Synchronization
internal import Testing

@testable internal import ResumableDownloads

@Suite("The bytes of one download", .timeLimit(.minutes(1)))
struct PartialStoreTests {
  /// Does what the store brings back to its thread one piece at a time.
  private final class Loop: Sendable {
    private let jobs = Mutex<[TransferEngine.Job]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func add(_ job: @escaping TransferEngine.Job) {
      jobs.withLock { $0.append(job) }
      arrived.signal()
    }

    /// Waits for the next piece, which has no use for the loop.
    func runNext(on loop: TransferLoop) {
      arrived.wait()
      jobs.withLock { $0.removeFirst() }(loop)
    }
  }

  @Test("While one of two checkpoints is still under way, bytes are not given up before the journal is lowered")
  func twoCheckpoints() async throws {
    let engine = try TransferEngine()
    defer { engine.shutDown() }
    let isLowered = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Bool, any Error>) in
      engine.perform { loop in continuation.resume(with: Result { try lowersJournal(on: loop) }) }
    }
    #expect(isLowered)
  }

  private func lowersJournal(on loop: TransferLoop) throws -> Bool {
    let fixture = try StorageFixture()
    let (queue, jobs) = (DispatchQueue(label: "sync"), Loop())
    let store = PartialStore(
      environment: DownloadEnvironment(
        partials: PartialDirectorySource(path: fixture.directory.path), syncQueue: queue, orderQueue: queue,
        cookies: nil, perform: { jobs.add($0) }))
    let record = fixture.record("a", offset: 10)
    store.adopt((try fixture.partial("a", "0123456789", record), record))
    _ = try store.flush(time: 0)
    try store.file?.append("more")
    _ = try store.flush(time: 0)
    jobs.runNext(on: loop)
    let step = try store.lowering(to: 12)
    jobs.runNext(on: loop)
    store.discard()
    return step != nil
  }
}
