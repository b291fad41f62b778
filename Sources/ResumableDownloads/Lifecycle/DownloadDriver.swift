internal import Foundation
internal import Synchronization

/// Performs the steps of one download: asks the state what comes next and does it.
///
/// Confined to the loop's thread. Alive from `start()` until `didEnd` was reported.
final class DownloadDriver: TransferSink {
  /// At most this many progress reports a second reach the observer.
  private static let progressNanoseconds: UInt64 = 1_000_000_000 / 30

  let job: DownloadJob
  private let environment: DownloadEnvironment
  private let loop: TransferLoop
  private let observer: any DownloadObserver
  private let onEnd: (DownloadDriver) -> Void

  private var state: DownloadState
  private let store: PartialStore
  private var directory: PartialDirectory?
  private var transfer: Transfer?
  private var hop: RedirectHop
  /// What to do when the exchange that was told to stop has stopped.
  private var afterStop: DownloadState.Step?
  private var limit: Int64?
  private var total: Int64?
  private var isWriting = false
  private var bodyBegan: UInt64 = 0
  private var isSuspended = false
  private var wasSuspended = false
  private var deferredRequest: ResumePoint??
  private var hasReportedResume = false
  private var lastProgress: UInt64 = 0
  private var progressTimer: LoopTimer?
  private var journalTimer: LoopTimer?
  private var totalTimer: LoopTimer?
  private var retryTimer: LoopTimer?
  private var isEnded = false

  init(
    job: DownloadJob, environment: DownloadEnvironment, loop: TransferLoop, observer: any DownloadObserver,
    onEnd: @escaping (DownloadDriver) -> Void
  ) {
    self.job = job
    self.environment = environment
    self.loop = loop
    self.observer = observer
    self.onEnd = onEnd
    store = PartialStore(environment: environment)
    hop = RedirectHop(url: job.url, method: job.method, fields: job.fields, body: job.body)
    var isResumed = false
    if case .resume = job.source { isResumed = true }
    state = DownloadState(
      validatesStatus: job.destination != nil, isResumed: isResumed, retryPolicy: job.retryPolicy)
  }

  // MARK: What the session asks

  func start() {
    if job.totalTimeout > 0 {
      totalTimer = loop.after(nanoseconds: LoopClock.nanoseconds(job.totalTimeout)) { [weak self] in
        // The final move is not interrupted: everything has arrived.
        if let self, self.state.phase != .finishing { self.abandon(.timedOut) }
      }
    }
    do {
      if let reason = try open() { return abandon(reason) }
    } catch {
      return abandon(.storage(error))
    }
    perform(state.start(from: store.point))
  }

  func suspend() {
    guard !isSuspended, !isEnded else { return }
    isSuspended = true
    wasSuspended = true
    transfer?.setPaused(true)
  }

  func resume() {
    guard isSuspended, !isEnded else { return }
    isSuspended = false
    transfer?.setPaused(false)
    if let point = deferredRequest {
      deferredRequest = nil
      ask(point)
    }
  }

  func cancel(producingResumeData: Bool) {
    guard !isEnded, state.phase != .finishing || transfer != nil else { return }
    if producingResumeData { return abandon(.cancelled) }
    stopTransfer()
    store.discard()
    end(DownloadFailure(reason: .cancelled, url: job.url))
  }

  // MARK: Opening what is on disk

  /// Finds the partial to continue; a reason when the download cannot begin at all.
  private func open() throws(StorageError) -> DownloadFailure.Reason? {
    switch job.source {
    case .unreadable(let error): return .invalidResumeData(error.localizedDescription)
    case .refused(let reason): return reason
    case .request:
      if let destination = job.destination { return try open(destination) }
    case .resume(let record, _):
      directory = try environment.partials.directory()
      if let found = try directory?.open(for: record) { adopt(found) }
    }
    return nil
  }

  private func open(_ destination: DownloadJob.Destination) throws(StorageError) -> DownloadFailure.Reason? {
    if !destination.replacesExisting, access(destination.path, F_OK) == 0 {
      return .destinationExists(destination.path)
    }
    let url = URL(fileURLWithPath: destination.path)
    directory = try PartialDirectory(sharedPath: url.deletingLastPathComponent().path)
    if let found = try directory?.openUnclaimed(stem: stem) {
      if found.record.urlString == job.url { adopt(found) } else { found.file.discard() }
    }
    return nil
  }

  private func adopt(_ found: (file: PartialFile, record: ResumeData)) {
    store.adopt(found)
    observer.counters.written.store(found.file.length, ordering: .relaxed)
    observer.counters.expected.store(found.record.expectedTotalBytes ?? -1, ordering: .relaxed)
  }

  /// The name of the partial without its ending: hidden beside a destination, else a new UUID.
  private var stem: String {
    guard let destination = job.destination else { return UUID().uuidString.lowercased() }
    let name = URL(fileURLWithPath: destination.path).lastPathComponent
    return StagedName.stem(destinationName: name, url: job.url)
  }

  // MARK: Steps

  private func perform(_ step: DownloadState.Step) {
    switch step {
    case .ask(let point): ask(point)
    case .wait(let least, let backOff, let point): wait(least: least, backOff: backOff, point)
    case .follow(let location): follow(location)
    case .finish: finish()
    case .fail(let reason): abandon(reason)
    case .append, .write: break  // done where the head arrives, before its first byte
    }
  }

  private func ask(_ point: ResumePoint?) {
    hop = RedirectHop(url: job.url, method: job.method, fields: job.fields, body: job.body)
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

  private func follow(_ location: String) {
    guard let next = hop.following(location: location, status: lastStatus) else {
      return perform(state.fail(.badRedirect))
    }
    hop = next
    guard case .asking(let point) = state.phase else { return }
    send(point)
  }

  private var lastStatus = 0

  private func send(_ point: ResumePoint?) {
    guard !isSuspended else {
      deferredRequest = .some(point)
      return
    }
    let request = TransferRequest(
      url: hop.url, method: hop.method, fields: hop.requestFields(point), body: hop.body,
      inactivityTimeout: job.inactivityTimeout, options: job.options)
    do { transfer = try loop.start(request, sink: self) } catch {
      perform(state.fail(.transfer(error)))
    }
  }

  // MARK: The exchange

  func transfer(_ transfer: Transfer, didReceive head: ResponseHead) -> SinkAnswer {
    lastStatus = head.status
    let step = state.receive(head, method: hop.method, hasOwnRange: job.hasOwnRange)
    if case .follow = step {} else { observer.didReceive(head, requestFields: transfer.request.fields) }
    do {
      switch step {
      case .append(let at, let end, let total): try beginAppending(at: at, end: end, total: total)
      case .write(let total, let resumable, let coded):
        try beginWriting(head, total: total, resumable: resumable, coded: coded)
      default: return stop(then: step)
      }
    } catch {
      return stop(then: state.fail(.storage(error)))
    }
    isWriting = true
    bodyBegan = loop.now
    startJournalTimer()
    return .proceed
  }

  private func beginAppending(at offset: Int64, end: Int64, total: Int64?) throws(StorageError) {
    if offset < store.length {
      observer.didRestart(at: offset)
      try store.cut(to: offset)
      observer.counters.written.store(offset, ordering: .relaxed)
    }
    self.total = total
    limit = end
    store.setTotal(total)
    observer.counters.expected.store(total ?? -1, ordering: .relaxed)
    reportResume(at: offset)
    try store.reserve(total)
  }

  private func beginWriting(_ head: ResponseHead, total: Int64?, resumable: Bool, coded: Bool) throws(StorageError) {
    if directory == nil { directory = try environment.partials.directory() }
    guard let directory else { return }
    let replaces = store.file != nil
    let fresh = try directory.create(stem: replaces ? UUID().uuidString.lowercased() : stem)
    if let destination = job.destination, !destination.replacesExisting, access(destination.path, F_OK) == 0 {
      // Another process finished the same file since `open()` looked; from here on the lock keeps others out.
      fresh.discard()
      throw StorageError(operation: .move, code: EEXIST, path: destination.path)
    }
    let record = resumable ? ResumeData.beginning(job: job, head: head, total: total, partialPath: fresh.path) : nil
    if replaces { observer.didRestart(at: 0) }
    store.begin(fresh, record: record)
    self.total = total
    limit = total
    observer.counters.written.store(0, ordering: .relaxed)
    observer.counters.expected.store(total ?? -1, ordering: .relaxed)
    reportResume(at: 0)
    try store.reserve(total)
  }

  /// Once a task, and only for one made from resume data or found beside its destination.
  private func reportResume(at offset: Int64) {
    guard !hasReportedResume else { return }
    hasReportedResume = true
    guard state.isResumed || state.holdsPartial else { return }
    observer.didResume(at: offset, expected: observer.counters.expected.load(ordering: .relaxed))
  }

  func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> SinkAnswer {
    guard isWriting, let file = store.file else { return .proceed }
    var wanted = bytes
    if let limit {
      // What comes after the announced end is not part of the file.
      let room = limit - file.length
      if room < Int64(bytes.count) { wanted = UnsafeRawBufferPointer(rebasing: bytes[..<max(0, Int(room))]) }
    }
    do {
      try file.append(wanted)
      try store.keepJournal(time: loop.now, began: bodyBegan)
    } catch {
      observer.counters.written.store(file.length, ordering: .relaxed)
      return stop(then: state.fail(.storage(error)))
    }
    wasSuspended = isSuspended
    observer.counters.written.store(file.length, ordering: .relaxed)
    reportProgress()
    return .proceed
  }

  func transfer(_ transfer: Transfer, didEndWith error: TransferError?) {
    self.transfer = nil
    isWriting = false
    journalTimer?.cancel()
    if let step = afterStop {
      afterStop = nil
      return perform(step)
    }
    if let error {
      perform(state.exchangeFailed(error, afterSuspension: wasSuspended, point: store.point))
    } else {
      if store.file == nil { return perform(state.fail(.cutShort)) }
      perform(state.bodyEnded(length: store.length, total: total, point: store.point))
    }
  }

  private func stop(then step: DownloadState.Step) -> SinkAnswer {
    afterStop = step
    isWriting = false
    return .stop
  }

  // MARK: Progress

  /// At once when the last report is old enough, else by a timer, so that no last byte goes unreported.
  private func reportProgress() {
    let due = lastProgress &+ Self.progressNanoseconds
    if loop.now >= due {
      lastProgress = loop.now
      observer.didProgress()
    } else if progressTimer == nil {
      progressTimer = loop.after(nanoseconds: due - loop.now) { [weak self] in
        guard let self, !self.isEnded else { return }
        self.progressTimer = nil
        self.lastProgress = self.loop.now
        self.observer.didProgress()
      }
    }
  }

  /// The first journal also comes when the server falls silent after a few bytes.
  private func startJournalTimer() {
    journalTimer?.cancel()
    journalTimer = loop.after(nanoseconds: PartialStore.firstJournalNanoseconds) { [weak self] in
      guard let self, !self.isEnded, self.isWriting else { return }
      do throws(StorageError) {
        try self.store.keepJournal(time: LoopClock.now(), began: self.bodyBegan)
      } catch {
        self.abandon(.storage(error))
      }
    }
  }

  // MARK: Ends

  private func finish() {
    stopTransfer()
    do {
      guard let file = try store.settle() else { return abandon(.cutShort) }
      if !hasReportedResume, state.isResumed || state.holdsPartial {
        hasReportedResume = true
        observer.counters.expected.store(file.length, ordering: .relaxed)
        observer.didResume(at: file.length, expected: file.length)
      }
      observer.counters.written.store(file.length, ordering: .relaxed)
      if let destination = job.destination {
        move(file, to: destination)
      } else {
        let finished = try file.finishTemporary()
        store.forget()
        observer.didFinish(finished)
        end(nil)
      }
    } catch {
      abandon(.storage(error))
    }
  }

  private func move(_ file: PartialFile, to destination: DownloadJob.Destination) {
    let back = LoopReference(self)
    let perform = environment.perform
    file.finish(at: destination.path, replacing: destination.replacesExisting, on: environment.syncQueue) { result in
      perform { _ in back.value.moveEnded(result) }
    }
  }

  private func moveEnded(_ result: Result<FinishedFile, StorageError>) {
    guard !isEnded else { return }
    switch result {
    case .success(let finished):
      store.forget()
      observer.didFinish(finished)
      end(nil)
    case .failure(let error): abandon(.storage(error))
    }
  }

  /// Ends with an error and keeps what can be continued.
  private func abandon(_ reason: DownloadFailure.Reason) {
    guard !isEnded else { return }
    stopTransfer()
    var data = store.close()?.encoded
    if data == nil, case .resume(_, let original) = job.source { data = original }
    end(DownloadFailure(reason: reason, url: job.url, resumeData: data))
  }

  private func stopTransfer() {
    if let transfer { loop.cancel(transfer) }
    transfer = nil
    isWriting = false
  }

  private func end(_ failure: DownloadFailure?) {
    isEnded = true
    _ = state.fail(.cancelled)
    for timer in [progressTimer, journalTimer, totalTimer, retryTimer] { timer?.cancel() }
    observer.didEnd(failure)
    onEnd(self)
  }
}
