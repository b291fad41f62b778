internal import Foundation
internal import Synchronization
internal import Testing

@testable internal import ResumableDownloads

@Suite("Downloads that change before they begin", .timeLimit(.minutes(1)))
struct DownloadCoordinatorTests {
  /// What a task says of itself, and how it ended.
  private final class Observer: DownloadObserver {
    private struct State {
      var isSuspended = false
      var bytesPerSecondLimit: Int64 = 0
      var reasons: [DownloadFailure.Reason?] = []
    }

    private let state = Mutex(State())
    let counters = DownloadCounters()

    var isSuspended: Bool {
      get { state.withLock { $0.isSuspended } }
      set { state.withLock { $0.isSuspended = newValue } }
    }

    var bytesPerSecondLimit: Int64 {
      get { state.withLock { $0.bytesPerSecondLimit } }
      set { state.withLock { $0.bytesPerSecondLimit = newValue } }
    }

    var reasons: [DownloadFailure.Reason?] { state.withLock { $0.reasons } }

    func didEnd(_ failure: DownloadFailure?) { state.withLock { $0.reasons.append(failure?.reason) } }

    func willBegin(answer: @escaping @Sendable (DelayedStart) -> Void) { answer(.asPlanned) }
    func didReceive(_ head: ResponseHead, requestFields: [HeaderField]) {}
    func didResume(at offset: Int64, expected: Int64) {}
    func didRestart(at offset: Int64) {}
    func didProgress() {}
    func didWaitForConnectivity() {}
    func decide(_ question: DownloadQuestion, answer: @escaping @Sendable (DownloadQuestion.Answer) -> Void) {}
    func didExchange(_ record: ExchangeRecord) {}
    func willMove(_ file: FileStatus) {}
    func didFinish(_ file: FinishedFile) {}
  }

  /// Ends as soon as it begins.
  private static let job = Shared(
    DownloadJob(
      source: .refused(.badRedirect), url: "http://a.test/", inactivityTimeout: 0, totalTimeout: 0))

  private let observer = Observer()

  /// Returns when the loop has done what it was given before.
  private func settle(_ coordinator: DownloadCoordinator) async {
    await withCheckedContinuation { continuation in coordinator.flush { continuation.resume() } }
  }

  @Test("A suspension that overtakes the start holds until it is taken back")
  func earlySuspension() async {
    let coordinator = DownloadCoordinator(partialsPath: nil, bytesPerSecond: 0, cookies: nil)
    defer { coordinator.shutDown() }
    observer.isSuspended = true
    coordinator.suspend(id: 1)
    coordinator.start(Self.job, id: 1, priority: 0.5, notBefore: nil, observer: observer)
    await settle(coordinator)
    #expect(observer.reasons == [])
    observer.isSuspended = false
    coordinator.resume(id: 1)
    await settle(coordinator)
    #expect(observer.reasons == [.badRedirect])
  }

  @Test("A resumption that overtakes its suspension leaves nothing suspended")
  func earlyResumption() async {
    let coordinator = DownloadCoordinator(partialsPath: nil, bytesPerSecond: 0, cookies: nil)
    defer { coordinator.shutDown() }
    observer.isSuspended = true
    coordinator.start(Self.job, id: 1, priority: 0.5, notBefore: nil, observer: observer)
    await settle(coordinator)
    observer.isSuspended = false
    coordinator.suspend(id: 1)
    await settle(coordinator)
    #expect(observer.reasons == [.badRedirect])
  }

  @Test("A limit that is set while its download is on the way to the loop counts")
  func earlyLimit() async throws {
    let engine = try TransferEngine()
    defer { engine.shutDown() }
    let limit: Int64 = await withCheckedContinuation { continuation in
      engine.perform { [observer] loop in
        let queue = DispatchQueue(label: "sync")
        let environment = DownloadEnvironment(
          partials: PartialDirectorySource(path: nil), syncQueue: queue, orderQueue: queue, cookies: nil,
          perform: { _ in })
        let driver = DownloadDriver(job: Self.job, environment: environment, loop: loop, observer: observer) { _ in }
        observer.bytesPerSecondLimit = 7
        driver.start()
        continuation.resume(returning: driver.bandwidth.bytesPerSecond)
      }
    }
    #expect(limit == 7)
  }
}
