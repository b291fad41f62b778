public import Foundation
public import FoundationNetworking
internal import Synchronization

/// A `URLSession` whose download tasks behave on Linux as Apple documents them: they can be paused into resume data,
/// continued later or by another process, and survive a kill, a full disk and a hostile server.
///
/// Use it where code says `URLSession`; data and upload tasks work as before. The delegate and the completion handlers
/// are called on `delegateQueue`. Like `URLSession` it keeps its delegate until it is invalidated.
// Mutable state lies in `registry`; the coordinator is safe on its own.
public final class DownloadSession: URLSession, @unchecked Sendable {
  private struct Registry {
    var nextIdentifier = DownloadSession.firstIdentifier
    var tasks: [Int: DownloadTask] = [:]
    var isInvalid = false
  }

  /// Far above the numbers that FoundationNetworking gives to the data and upload tasks of the same session.
  private static let firstIdentifier = 1_000_001

  let coordinator: DownloadCoordinator
  /// For a session with an identifier.
  let identified: IdentifiedTasks?
  let factory: JobFactory
  private let registry = Mutex(Registry())
  let credentialStorage: URLCredentialStorage?
  let delegateLine: DelegateLine

  /// A session without a delegate, for completion handlers and async calls.
  public override convenience init(configuration: URLSessionConfiguration) {
    self.init(configuration: configuration, delegate: nil, delegateQueue: nil)
  }

  /// A session with a delegate.
  ///
  /// - Parameters:
  ///   - configuration: Copied; later changes have no effect. One with an `identifier` brings back the tasks that an
  ///     ended process left, see `URLSessionConfiguration.background(withIdentifier:)`.
  ///   - delegate: Kept until the session is invalidated.
  ///   - queue: Where callbacks run; `nil` stands for a serial queue of the session's own. On a concurrent queue the
  ///     order within one task still holds.
  public override init(
    configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue queue: OperationQueue?
  ) {
    let queue = queue ?? Self.makeQueue()
    delegateLine = DelegateLine(queue: queue)
    let settings = SessionSettingsTable.settings(of: configuration)
    let base = settings.partialsDirectory?.path
    identified = configuration.identifier.map { IdentifiedTasks(identifier: $0, base: base) }
    coordinator = DownloadCoordinator(
      partialsPath: identified?.folder?.directory.path ?? base, bytesPerSecond: settings.bytesPerSecondLimit,
      cookies: CookieStore(configuration), endBatch: delegateLine)
    credentialStorage = configuration.urlCredentialStorage
    factory = JobFactory(configuration: configuration, settings: settings)
    super.init(configuration: configuration, delegate: delegate, delegateQueue: queue)
    SessionSettingsTable.update(super.configuration) { $0 = settings }
    restoreTasks()
  }

  private static func makeQueue() -> OperationQueue {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    return queue
  }

  deinit {
    coordinator.shutDown()
    identified?.folder?.close()
  }

  /// A copy of the configuration that the session was made with.
  public override var configuration: URLSessionConfiguration {
    let stored = super.configuration
    guard let copy = stored.copy() as? URLSessionConfiguration else { return stored }
    let settings = SessionSettingsTable.settings(of: stored)
    SessionSettingsTable.update(copy) { $0 = settings }
    return copy
  }

  private static let common = DownloadSession(configuration: .default)

  /// The session for simple calls; it cannot be invalidated.
  public override class var shared: DownloadSession { common }

  // MARK: Making tasks

  /// A task that downloads the answer to a GET.
  public override func downloadTask(with url: URL) -> DownloadTask {
    downloadTask(with: URLRequest(url: url))
  }

  /// A task that downloads the answer to a request. Only a plain GET over http or https can be continued later.
  public override func downloadTask(with request: URLRequest) -> DownloadTask {
    add(factory.job(for: request), request: request, style: .delegate)
  }

  /// A task that continues a download. Data that cannot be used is reported by `didCompleteWithError`, never here.
  public override func downloadTask(withResumeData resumeData: Data) -> DownloadTask {
    add(resuming: resumeData, style: .delegate)
  }

  /// A task that reports to a closure instead of the delegate. The file goes when the closure returns.
  public override func downloadTask(
    with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> DownloadTask {
    downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  /// A task that reports to a closure instead of the delegate. The file goes when the closure returns.
  public override func downloadTask(
    with request: URLRequest, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> DownloadTask {
    add(factory.job(for: request), request: request, style: .handler(completionHandler))
  }

  /// A task that continues a download and reports to a closure. The file goes when the closure returns.
  public override func downloadTask(
    withResumeData resumeData: Data, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> DownloadTask {
    add(resuming: resumeData, style: .handler(completionHandler))
  }

  /// A task that moves its finished file to a destination by itself, and that needs no resume data to go on.
  ///
  /// The partial lies hidden beside the destination. A later task for the same address and destination continues it,
  /// also after the process was killed. Nothing appears under the final name before the file is complete and synced.
  /// Statuses other than 2xx are errors (`URLError.badServerResponse`). `didFinishDownloadingTo` gets the destination.
  ///
  /// - Parameters:
  ///   - request: What to ask; only a plain GET over http or https can be continued.
  ///   - destination: A file URL whose folder exists.
  ///   - replacingExisting: Whether a file that is there is replaced; if not, the task fails with
  ///     `URLError.cannotMoveFile` before anything is sent.
  public func downloadTask(
    with request: URLRequest, to destination: URL, replacingExisting: Bool = false
  ) -> DownloadTask {
    add(request, to: destination, replacingExisting: replacingExisting, style: .delegate)
  }

  func add(resuming data: Data, style: DownloadTask.Style) -> DownloadTask {
    let (job, request) = factory.job(resuming: data)
    return add(job, request: request, style: style)
  }

  func add(_ request: URLRequest, options: DownloadOptions, style: DownloadTask.Style) -> DownloadTask {
    var job = factory.job(for: request)
    job.validatesStatus = options.contains(.validateStatus)
    return add(job, request: request, style: style)
  }

  func add(
    _ request: URLRequest, to destination: URL, replacingExisting: Bool, style: DownloadTask.Style
  ) -> DownloadTask {
    var job = factory.job(for: request)
    job.destination = DownloadJob.Destination(path: destination.path, replacesExisting: replacingExisting)
    if !destination.isFileURL {
      job.source = .refused(.storage(StorageError(operation: .move, code: EINVAL, path: destination.absoluteString)))
    }
    return add(job, request: request, style: style)
  }

  private func add(_ job: DownloadJob, request: URLRequest?, style: DownloadTask.Style) -> DownloadTask {
    let (identifier, isInvalid) = registry.withLock { registry in
      defer { registry.nextIdentifier += 1 }
      return (registry.nextIdentifier, registry.isInvalid)
    }
    var job = job
    if isInvalid { job.source = .refused(.sessionInvalid) }
    let record = identified?.admit(&job, request: request, identifier: identifier, style: style)
    let task = DownloadTask(
      job: Shared(job), request: request, identifier: identifier, style: style, session: self, record: record)
    registry.withLock { if !isInvalid { $0.tasks[identifier] = task } }
    (delegate as? any DownloadSessionDelegate)?.urlSession(self, didCreateTask: task)
    return task
  }

  /// Takes tasks over from an ended process; new ones get none of the numbers.
  func register(_ restored: [DownloadTask], numbers: [Int]) {
    registry.withLock { registry in
      registry.nextIdentifier = max(registry.nextIdentifier, (numbers.max() ?? 0) + 1)
      for task in restored { registry.tasks[task.taskIdentifier] = task }
    }
  }

  // MARK: Finding tasks

  /// All tasks that have not ended, those never resumed included; the closure runs on the delegate queue.
  public override func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
    let own = currentTasks
    super.getAllTasks { completionHandler($0 + own) }
  }

  /// All tasks that have not ended, by kind; the closure runs on the delegate queue.
  public override func getTasksWithCompletionHandler(
    _ completionHandler:
      @escaping @Sendable ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) ->
      Void
  ) {
    let own = currentTasks
    super.getTasksWithCompletionHandler { data, upload, download in completionHandler(data, upload, download + own) }
  }

  /// Those whose end has been told, or is being told, do not count.
  private var currentTasks: [DownloadTask] {
    registry.withLock { $0.tasks.values.sorted { $0.taskIdentifier < $1.taskIdentifier } }
      .filter { $0.state != .completed }
  }

  // MARK: Storage

  /// Empties the session's cache, credentials and cookies, then does what `flush(completionHandler:)` does.
  ///
  /// Downloads go on, and what they have stays (Apple: `reset(completionHandler:)`).
  public override func reset(completionHandler: @escaping @Sendable () -> Void) {
    super.configuration.httpCookieStorage?.removeCookies(since: .distantPast)
    super.reset(completionHandler: completionHandler)
  }

  /// Brings what running downloads have received to the disk, with their journals, so that it also survives a power
  /// cut.
  ///
  /// Connections are kept, where Apple's documentation promises new ones. The closure runs on the delegate queue.
  public override func flush(completionHandler: @escaping @Sendable () -> Void) {
    coordinator.flush { [delegateLine] in delegateLine.add(completionHandler) }
  }

  // MARK: Ending

  /// Lets the present tasks end, then tells the delegate `didBecomeInvalidWithError`, always last, and releases it.
  ///
  /// A task made afterwards fails with `URLError.cancelled`. No effect on `shared`.
  public override func finishTasksAndInvalidate() {
    guard self !== Self.common else { return }
    let isDone = registry.withLock { registry in
      guard !registry.isInvalid else { return false }
      registry.isInvalid = true
      return registry.tasks.isEmpty
    }
    if isDone { becomeInvalid() }
  }

  /// Cancels all download tasks, without resume data (data and upload tasks run to their end: upstream traps when one
  /// is cancelled while it ends), then does what `finishTasksAndInvalidate()` does.
  public override func invalidateAndCancel() {
    guard self !== Self.common else { return }
    let own = currentTasks
    finishTasksAndInvalidate()
    for task in own { task.cancel() }
  }

  /// A task has told its last.
  func forget(_ task: DownloadTask) {
    let isDone = registry.withLock { registry in
      registry.tasks[task.taskIdentifier] = nil
      return registry.isInvalid && registry.tasks.isEmpty
    }
    if isDone { becomeInvalid() }
  }

  private func becomeInvalid() {
    coordinator.shutDown()
    identified?.folder?.close()
    // Behind what async calls leave with the delegate: this is the last that it hears.
    delegateLine.add { super.finishTasksAndInvalidate() }
  }
}
