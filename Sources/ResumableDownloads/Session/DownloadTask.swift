internal import Dispatch
public import Foundation
public import FoundationNetworking
internal import Synchronization

/// A download that can be paused into resume data and continued later, also by another process.
///
/// It is a `URLSessionDownloadTask`, so variables, delegates and libraries that know that type keep working. Made by
/// the factories of `DownloadSession`; suspended until `resume()`. All members may be used from any thread.
// Everything mutable lies in `locked`, in `counters` (atomics), `relay`, `board` or `reported`, each safe on its own.
public final class DownloadTask: URLSessionDownloadTask, @unchecked Sendable {
  /// How the end is told.
  enum Style: Sendable {
    case delegate
    case handler(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
    /// The caller owns the file and hears nothing on the delegate queue.
    case async(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
  }

  let locked = Mutex(LockedState())
  let counters = DownloadCounters()
  let job: Shared<DownloadJob>
  let style: Style
  let relay: DelegateRelay
  let board = EventBoard()
  private let identifier: Int
  private let original: URLRequest?
  let reported = DownloadProgress()
  private weak let owner: DownloadSession?
  /// The session to name in callbacks.
  var currentSession: DownloadSession? { locked.withLock { $0.session } ?? owner }

  init(
    job: Shared<DownloadJob>, request: URLRequest?, identifier: Int, style: Style, session: DownloadSession,
    record: TaskRecord? = nil
  ) {
    self.job = job
    self.style = style
    self.identifier = identifier
    original = request
    owner = session
    relay = DelegateRelay(line: session.delegateLine, counters: counters)
    super.init()
    if let record { locked.withLock { $0.restore(record) } }
    reported.cancellationHandler = { [weak self] in self?.cancel() }
    reported.pausingHandler = { [weak self] in
      Self.progressQueue.async { [weak self] in self?.followProgress(isResuming: false) }
    }
    reported.resumingHandler = { [weak self] in
      Self.progressQueue.async { [weak self] in self?.followProgress(isResuming: true) }
    }
  }

  /// No further readers are told anything, so none may wait for ever for a task that was never started.
  deinit { board.postEnd(.failure(URLError(.cancelled))) }

  // MARK: What it is

  /// The number of the task, unique within its session and never used by the session's data and upload tasks.
  public override var taskIdentifier: Int { identifier }

  /// The request that the task was made with; for one made from resume data, the request recorded there, or `nil` when
  /// the data could not be read.
  public override var originalRequest: URLRequest? { original }

  /// The request that was sent last, after redirects, with the `Range` of a continued download.
  public override var currentRequest: URLRequest? { locked.withLock { $0.request(after: original) } }

  /// The answer of this exchange, from the moment its head has arrived; `nil` before.
  ///
  /// For a continued download its status is 206 and its length that of the part (RFC 9110 section 15.3.7).
  public override var response: URLResponse? { locked.withLock { $0.response } }

  /// Why the task failed; `nil` while it is active and after success.
  public override var error: (any Error)? { locked.withLock { $0.error } }

  /// Whether the task runs, is suspended, is being cancelled or has ended. `.completed` inside `didCompleteWithError`.
  public override var state: URLSessionTask.State {
    locked.withLock { state in
      if state.isCompleted { return .completed }
      if state.isCanceling { return .canceling }
      return state.suspendCount > 0 ? .suspended : .running
    }
  }

  /// Totals of the whole file in bytes, the resumed part included; cancelling, pausing and resuming it does the same to
  /// the task.
  public override var progress: Progress { reported }

  /// Bytes of the file that are there, the resumed part included.
  public override var countOfBytesReceived: Int64 { counters.written.load(ordering: .relaxed) }

  /// Bytes of the whole file, `NSURLSessionTransferSizeUnknown` until and unless it is known.
  public override var countOfBytesExpectedToReceive: Int64 { counters.expected.load(ordering: .relaxed) }

  /// Bytes of the request's body that are known to have been sent: all of them once the head of the answer has arrived.
  public override var countOfBytesSent: Int64 {
    locked.withLock { $0.head == nil } ? 0 : countOfBytesExpectedToSend
  }

  /// Bytes of the request's body.
  public override var countOfBytesExpectedToSend: Int64 { Int64(job.body?.count ?? 0) }

  /// What the caller expects; kept, and not used (Apple: a hint for scheduling in background sessions).
  public override var countOfBytesClientExpectsToReceive: Int64 {
    get { locked.withLock { $0.expectsToReceive } }
    set { locked.withLock { $0.expectsToReceive = newValue } }
  }

  /// What the caller expects; kept, and not used (Apple: a hint for scheduling in background sessions).
  public override var countOfBytesClientExpectsToSend: Int64 {
    get { locked.withLock { $0.expectsToSend } }
    set { locked.withLock { $0.expectsToSend = newValue } }
  }

  /// A text of the caller's. It does not travel in resume data.
  public override var taskDescription: String? {
    get { locked.withLock { $0.description } }
    set {
      locked.withLock { $0.description = newValue }
      saveRecord()
    }
  }

  /// Among the tasks that wait for a connection, those with a higher number begin first. Read at the first `resume()`.
  public override var priority: Float {
    get { locked.withLock { $0.priority } }
    set {
      locked.withLock { $0.priority = newValue }
      saveRecord()
    }
  }

  /// The task begins no earlier than this. Read at the first `resume()`.
  public override var earliestBeginDate: Date? {
    get { locked.withLock { $0.beginDate } }
    set {
      locked.withLock { $0.beginDate = newValue }
      saveRecord()
    }
  }

  /// Bytes per second of this task at most; zero, the default, means no limit. May be changed at any time.
  ///
  /// `URLSessionConfiguration.bytesPerSecondLimit` holds for all tasks of the session together, this one included.
  public var bytesPerSecondLimit: Int64 {
    get { locked.withLock { $0.bytesPerSecondLimit } }
    set {
      locked.withLock { $0.bytesPerSecondLimit = max(0, newValue) }
      if isStarted { owner?.coordinator.limitChanged(id: identifier) }
    }
  }

  /// Hears of this task before the session's delegate does, which gets what it does not implement. Released at the end.
  ///
  /// Setting it after the first `resume()` has no effect, where Apple raises an exception.
  public override var delegate: (any URLSessionTaskDelegate)? {
    get { locked.withLock { $0.delegate } }
    set { locked.withLock { if !$0.isStarted { $0.delegate = newValue } } }
  }

  private var isStarted: Bool { locked.withLock { $0.isStarted } }

  // MARK: What it does

  /// Starts the task, or takes one `suspend()` back. No effect on a task that is cancelled or has ended.
  public override func resume() {
    enum Action {
      case none
      case start(Float, Date?)
      case resume
    }
    let owner = self.owner
    let action: Action = locked.withLock { state in
      guard !state.isCanceling, !state.isCompleted, state.suspendCount > 0 else { return .none }
      state.suspendCount -= 1
      guard state.suspendCount == 0 else { return .none }
      if state.isStarted { return .resume }
      state.isStarted = true
      state.started = Date()
      state.session = owner
      return .start(state.priority, state.beginDate)
    }
    let error = saveRecord()
    switch action {
    case .none: break
    case .resume: owner?.coordinator.resume(id: identifier)
    case .start(let priority, let date):
      // What is not recorded would not come back: nothing is sent.
      if let error { return didEnd(DownloadFailure(reason: .storage(error), url: job.url)) }
      start(priority: priority, date: date)
    }
  }

  private func start(priority: Float, date: Date?) {
    guard let coordinator = owner?.coordinator else {
      return didEnd(DownloadFailure(reason: .sessionInvalid, url: job.url))
    }
    coordinator.start(job, id: identifier, priority: priority, notBefore: date, observer: self)
    // Whoever cancelled from another thread in this moment found nothing to cancel.
    let cancellation = locked.withLock { $0.isCanceling ? !$0.cancelHandlers.isEmpty : nil }
    if let cancellation { coordinator.cancel(id: identifier, producingResumeData: cancellation) }
  }

  /// Stops reading from the server until the matching `resume()`; calls nest. No timeout runs meanwhile.
  ///
  /// When the server gives the idle connection up, the download continues by range.
  public override func suspend() {
    let mustTell = locked.withLock { state in
      guard !state.isCanceling, !state.isCompleted else { return false }
      state.suspendCount += 1
      return state.suspendCount == 1 && state.isStarted
    }
    if mustTell { owner?.coordinator.suspend(id: identifier) }
    saveRecord()
  }

  /// Ends the task with `URLError.cancelled` and removes what it had downloaded.
  public override func cancel() {
    cancel(handler: nil)
  }

  /// Ends the task with `URLError.cancelled` and hands out what it can be continued with.
  ///
  /// - Parameter completionHandler: Called exactly once, on an unspecified queue, with resume data, or with `nil` when
  ///   the download cannot be continued or the task was cancelled or had ended before. The same data is in the error
  ///   that the delegate gets; the order of the two is not defined.
  public override func cancel(byProducingResumeData completionHandler: @escaping (Data?) -> Void) {
    cancel(handler: CancelHandler(closure: completionHandler))
  }

  private func cancel(handler: CancelHandler?) {
    enum Action { case tooLate, end, tell }
    let owner = self.owner
    let action: Action = locked.withLock { state in
      guard !state.isCanceling, !state.hasEnded else { return .tooLate }
      state.isCanceling = true
      state.cancellation = handler == nil ? .cancelled : .paused
      if let handler { state.cancelHandlers.append(handler) }
      // A task that never ran does not keep its session yet, which has to tell the end.
      state.session = owner
      return state.isStarted ? .tell : .end
    }
    // Should that fail, a process that is killed before the end comes back with the task: it can be cancelled again.
    saveRecord()
    let coordinator = owner?.coordinator
    switch action {
    case .tooLate: handler?.call(nil)
    case .tell: coordinator?.cancel(id: identifier, producingResumeData: handler != nil)
    case .end:
      if let coordinator, job.partialStem != nil {
        return coordinator.endIdle(job.value, producingResumeData: handler != nil, observer: self)
      }
      var data: Data?
      if handler != nil, case .resume(_, let original) = job.source { data = original }
      didEnd(DownloadFailure(reason: .cancelled, url: job.url, resumeData: data))
    }
  }
}
