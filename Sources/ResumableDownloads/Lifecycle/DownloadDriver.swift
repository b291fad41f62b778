internal import Foundation
internal import Synchronization

/// Performs the steps of one download: asks the state what comes next and does it.
///
/// Confined to the loop's thread. Alive from `start()` until `didEnd` was reported. Its exchanges are in
/// DownloadDriver+Exchange.swift.
final class DownloadDriver {
  let job: Shared<DownloadJob>
  let environment: DownloadEnvironment
  let loop: TransferLoop
  let observer: any DownloadObserver
  private let onEnd: (DownloadDriver) -> Void

  var state: DownloadState
  let store: PartialStore
  var place: PartialPlace
  var chain: RequestChain
  let pulse: ProgressPulse
  /// The exchange under way.
  var transfer: Transfer?
  var exchange = Exchange()
  /// Set while the exchange waits for an answer of the session or for the disk.
  var held: HeldExchange?
  /// How often an exchange was held.
  var holds = 0
  private(set) var isSuspended = false
  private var deferredRequest: ResumePoint??
  private var hasReportedResume = false
  private var hasReportedWaiting = false
  private var networkChanges = 0
  private var totalTimer: LoopTimer?
  private var retryTimer: LoopTimer?
  /// The task's own limit; the loop has that of the session.
  let bandwidth = BandwidthLimit()
  /// Lets the exchange go on after what either limit has it wait for.
  var limitTimer: LoopTimer?
  private(set) var isEnded = false

  init(
    job: Shared<DownloadJob>, environment: DownloadEnvironment, loop: TransferLoop, observer: any DownloadObserver,
    onEnd: @escaping (DownloadDriver) -> Void
  ) {
    self.job = job
    self.environment = environment
    self.loop = loop
    self.observer = observer
    self.onEnd = onEnd
    store = PartialStore(environment: environment)
    place = PartialPlace(job: job, environment: environment)
    chain = RequestChain(job: job, cookies: environment.cookies)
    pulse = ProgressPulse(loop: loop, observer: observer)
    var isResumed = false
    if case .resume = job.source { isResumed = true }
    state = DownloadState(
      validatesStatus: job.validatesStatus || job.destination != nil, isResumed: isResumed, retryPolicy: job.retryPolicy
    )
  }

  // MARK: What the session asks

  func start() {
    bandwidth.bytesPerSecond = observer.bytesPerSecondLimit
    if job.totalTimeout > 0 {
      totalTimer = loop.after(nanoseconds: LoopClock.nanoseconds(job.totalTimeout)) { [weak self] in
        // The final move is not interrupted: everything has arrived.
        if let self, self.state.phase != .finishing { self.abandon(.timedOut) }
      }
    }
    do throws(DownloadFailure.Reason) {
      if let found = try place.open() { adopt(found) }
    } catch {
      return abandon(error)
    }
    var recorded: ResumePoint?
    if case .resume(let record, _) = job.source { recorded = record.resumePoint }
    perform(state.start(from: store.point, recorded: recorded))
  }

  func suspend() {
    guard !isSuspended, !isEnded else { return }
    isSuspended = true
    exchange.wasSuspended = true
    transfer?.setPaused(true, for: .suspended)
  }

  func resume() {
    guard isSuspended, !isEnded else { return }
    isSuspended = false
    transfer?.setPaused(false, for: .suspended)
    if let point = deferredRequest {
      deferredRequest = nil
      ask(point)
    }
  }

  func limitChanged() {
    bandwidth.bytesPerSecond = observer.bytesPerSecondLimit
    if isLimited { transfer?.isGathering = false }
    // The old limit may have meant to wait for hours.
    limitTimer?.cancel()
    transfer?.setPaused(false, for: .limited)
  }

  var isLimited: Bool { bandwidth.isSet || loop.bandwidth.isSet }

  func flush() {
    guard exchange.isWriting else { return }
    do throws(StorageError) {
      if let step = try store.flush(time: loop.now) {
        transfer?.hold()
        hold(for: step)
      }
    } catch {
      abandon(.storage(error))
    }
  }

  func cancel(producingResumeData: Bool) {
    guard !isEnded, state.phase != .finishing || transfer != nil else { return }
    if producingResumeData { return abandon(.cancelled) }
    stopTransfer()
    store.afterStep { [self] in
      guard !isEnded else { return }
      store.discard()
      end(DownloadFailure(reason: .cancelled, url: job.url))
    }
  }

  private func adopt(_ found: PartialPlace.Found) {
    store.adopt(found)
    observer.counters.written.store(found.file.length, ordering: .relaxed)
    observer.counters.expected.store(found.record.expectedTotalBytes ?? -1, ordering: .relaxed)
  }

  // MARK: Steps

  func perform(_ step: DownloadState.Step) {
    switch step {
    case .ask(let point): ask(point)
    case .wait(let least, let backOff, let point): wait(least: least, backOff: backOff, point)
    case .askAgain(let point): send(point)
    case .follow(let next): follow(next)
    case .finish: finish()
    case .fail(let reason): abandon(reason)
    case .append, .write: break  // done where the head arrives, before its first byte
    }
  }

  private func ask(_ point: ResumePoint?) {
    chain.begin()
    send(point)
  }

  private func wait(least: Double, backOff: Double, _ point: ResumePoint?) {
    do { try store.save() } catch { return abandon(.storage(error)) }
    // By chance a little sooner, so that many clients do not come back together.
    let seconds = max(least, backOff * Double.random(in: 0.5...1))
    retryTimer = loop.after(nanoseconds: LoopClock.nanoseconds(seconds)) { [weak self] in
      guard let self, !self.isEnded else { return }
      self.perform(self.state.ask(point))
    }
  }

  private func follow(_ next: RedirectHop) {
    chain.follow(next)
    guard case .asking(let point) = state.phase else { return }
    send(point)
  }

  func send(_ point: ResumePoint?) {
    guard !isSuspended else {
      deferredRequest = .some(point)
      return
    }
    let request = chain.request(point)
    exchange = Exchange(requestFields: request.fields)
    networkChanges = loop.networkChanges
    do { transfer = try loop.start(request, sink: self) } catch {
      perform(state.fail(.transfer(error)))
    }
  }

  /// Waits for the network to come back instead of failing; `false` when the caller did not ask for that.
  func waitForConnectivity(after error: TransferError) -> Bool {
    guard job.waitsForConnectivity, error.isOffline || (hasReportedWaiting && error.isNameFailure) else { return false }
    do { try store.save() } catch { return false }
    let point = store.point
    let willHear = loop.onNetworkChange(since: networkChanges) { [weak self] in
      guard let self, !self.isEnded else { return }
      self.perform(self.state.ask(point))
    }
    guard willHear else { return false }
    state.waitForNetwork()
    if !hasReportedWaiting { observer.didWaitForConnectivity() }
    hasReportedWaiting = true
    return true
  }

  /// What this task has received is told before it is void.
  func goBack(to offset: Int64) {
    if hasReportedResume { observer.didProgress() }
    observer.didRestart(at: offset)
  }

  /// Once for a task made from resume data or found beside its destination, and whenever the count of bytes goes back.
  func reportResume(at offset: Int64, expected: Int64, goesBack: Bool = false) {
    let isFirst = !hasReportedResume && (state.isResumed || state.holdsPartial)
    hasReportedResume = true
    guard isFirst || goesBack else { return }
    observer.didResume(at: offset, expected: expected)
  }

  // MARK: Ends

  private func finish() {
    stopTransfer()
    do throws(StorageError) {
      guard let step = try store.settling() else { return deliver() }
      store.perform(step) { [self] error in
        if let error { abandon(.storage(error)) } else { deliver() }
      }
    } catch {
      abandon(.storage(error))
    }
  }

  private func deliver() {
    do {
      guard let file = store.file else { return abandon(.cutShort) }
      if !hasReportedResume, state.isResumed || state.holdsPartial {
        observer.counters.expected.store(file.length, ordering: .relaxed)
        reportResume(at: file.length, expected: file.length)
      }
      observer.counters.written.store(file.length, ordering: .relaxed)
      if let final = try place.finalPlace() {
        move(file, to: final)
      } else {
        succeed(with: try file.finishTemporary())
      }
    } catch {
      abandon(.storage(error))
    }
  }

  private func move(_ file: PartialFile, to destination: DownloadJob.Destination) {
    let back = LoopReference(self)
    let perform = environment.perform
    if let status = file.descriptor?.status { observer.willMove(status) }
    file.finish(at: destination.path, replacing: destination.replacesExisting, on: environment.syncQueue) { result in
      perform { _ in back.value.moveEnded(result) }
    }
  }

  private func moveEnded(_ result: Result<FinishedFile, StorageError>) {
    guard !isEnded else { return }
    switch result {
    case .success(let finished): succeed(with: finished)
    case .failure(let error): abandon(.storage(error))
    }
  }

  private func succeed(with finished: FinishedFile) {
    store.forget()
    pulse.stop()
    observer.didFinish(finished)
    end(nil)
  }

  /// Ends with an error and keeps what can be continued.
  func abandon(_ reason: DownloadFailure.Reason) {
    guard !isEnded else { return }
    stopTransfer()
    store.afterStep { [self] in
      guard !isEnded else { return }
      var data = store.close()?.encoded
      if data == nil, case .resume(_, let original) = job.source { data = original }
      end(DownloadFailure(reason: reason, url: job.url, resumeData: data))
    }
  }

  func stopTransfer() {
    if let transfer {
      loop.cancel(transfer)
      record(transfer)
    }
    transfer = nil
    held = nil
    endBody()
  }

  private func end(_ failure: DownloadFailure?) {
    isEnded = true
    _ = state.fail(.cancelled)
    pulse.stop()
    for timer in [totalTimer, retryTimer] { timer?.cancel() }
    observer.didEnd(failure)
    onEnd(self)
  }
}
