internal import Dispatch
internal import Foundation
internal import Synchronization

/// Starts, finds and ends the downloads of one session. Any thread may call it; the work happens on the loop's thread.
final class DownloadCoordinator: Sendable {
  private struct State {
    var engine: TransferEngine?
    var environment: DownloadEnvironment?
    var isShutDown = false
  }

  private let state = Mutex(State())
  private let table = LoopReference(DriverTable())
  private let partials: PartialDirectorySource
  private let cookies: (any CookieExchange)?
  private let bytesPerSecond: Int64
  private let endBatch: (any EndBatch)?
  /// Where syncs and final moves happen, one after the other.
  let syncQueue = DispatchQueue(label: "ResumableDownloads.sync", qos: .utility)
  /// Where a download waits for the disk before it goes on. Concurrent, so that it waits for no other one.
  let orderQueue = DispatchQueue(label: "ResumableDownloads.order", attributes: .concurrent)

  /// - Parameters:
  ///   - partialsPath: Where partials lie; `nil` for the private directory under the system's temporary one.
  ///   - bytesPerSecond: The limit that all downloads share; zero or less means none.
  ///   - endBatch: Hears when several downloads may end at once.
  init(
    partialsPath: String?, bytesPerSecond: Int64, cookies: (any CookieExchange)?, endBatch: (any EndBatch)? = nil
  ) {
    self.endBatch = endBatch
    partials = PartialDirectorySource(path: partialsPath)
    self.cookies = cookies
    self.bytesPerSecond = bytesPerSecond
  }

  /// Made for the first download.
  private var environment: DownloadEnvironment {
    state.withLock { state in
      if let known = state.environment { return known }
      let made = DownloadEnvironment(
        partials: partials, syncQueue: syncQueue, orderQueue: orderQueue, cookies: cookies,
        perform: { [weak self] job in self?.perform(job) })
      state.environment = made
      return made
    }
  }

  /// Queues a download; it begins as soon as its host has a connection free.
  func start(
    _ job: Shared<DownloadJob>, id: Int, priority: Float, notBefore date: Date?, observer: any DownloadObserver
  ) {
    let environment = environment
    let delay = max(0, date?.timeIntervalSinceNow ?? 0)
    let refusal = perform { [table, bytesPerSecond] loop in
      loop.bandwidth.bytesPerSecond = bytesPerSecond
      table.value.add(
        job, id: id, priority: priority, delay: delay, environment: environment, observer: observer, loop: loop)
    }
    if let refusal { observer.didEnd(DownloadFailure(reason: refusal, url: job.url)) }
  }

  func suspend(id: Int) { perform { [table] _ in table.value.suspend(id) } }

  func resume(id: Int) { perform { [table] _ in table.value.resume(id) } }

  /// The observer says something else of `bytesPerSecondLimit`.
  func limitChanged(id: Int) { perform { [table] _ in table.value.limitChanged(id) } }

  func cancel(id: Int, producingResumeData: Bool) {
    perform { [table] _ in table.value.cancel(id, producingResumeData: producingResumeData) }
  }

  /// Brings what the running downloads have to the disk, then calls back, on any thread.
  func flush(completion: @escaping @Sendable () -> Void) {
    guard state.withLock({ $0.engine }) != nil else { return completion() }
    let failure = perform { [table, syncQueue, orderQueue] _ in
      table.value.flush()
      // After all that is on either queue.
      orderQueue.async(flags: .barrier) { syncQueue.async(execute: completion) }
    }
    if failure != nil { completion() }
  }

  /// Ends a download that was not started in this process, with what an earlier one left of it.
  func endIdle(_ job: DownloadJob, producingResumeData: Bool, observer: any DownloadObserver) {
    let environment = environment
    let refusal = perform { _ in
      observer.didEnd(job.endIdle(environment, producingResumeData: producingResumeData))
    }
    if refusal != nil { observer.didEnd(DownloadFailure(reason: .cancelled, url: job.url)) }
  }

  /// Ends the thread. All downloads must have ended.
  func shutDown() {
    let engine = state.withLock { state in
      defer { state = State(engine: nil, isShutDown: true) }
      return state.engine
    }
    engine?.shutDown()
  }

  /// Hands a job to the loop's thread, which is started for the first one; the reason when there is none.
  @discardableResult
  private func perform(_ job: @escaping TransferEngine.Job) -> DownloadFailure.Reason? {
    do throws(TransferError) {
      let engine = try state.withLock { (state) throws(TransferError) in
        if state.engine == nil, !state.isShutDown { state.engine = try TransferEngine(endBatch: endBatch) }
        return state.engine
      }
      return engine?.perform(job) == true ? nil : .sessionInvalid
    } catch {
      return .transfer(error)
    }
  }
}

/// The downloads of one loop: those that run, and those that wait for a free connection. Confined to the loop's thread.
private final class DriverTable {
  private var running: [Int: (driver: DownloadDriver, origin: String)] = [:]
  private var waiting = WaitingLine()
  private var suspendedWaiting: Set<Int> = []
  /// Those that run and are suspended.
  private var paused: Set<Int> = []
  /// Those whose time has not come.
  private var held: Set<Int> = []
  /// What is known of a download, by reference, because it is looked up often.
  private final class Known {
    let observer: any DownloadObserver
    var job: Shared<DownloadJob>
    let environment: DownloadEnvironment

    init(_ observer: any DownloadObserver, _ job: Shared<DownloadJob>, _ environment: DownloadEnvironment) {
      (self.observer, self.job, self.environment) = (observer, job, environment)
    }
  }

  private var observers: [Int: Known] = [:]
  private var runningPerOrigin: [String: Int] = [:]
  private var origins: [String: String] = [:]
  private static let maximumOrigins = 100

  func add(
    _ job: Shared<DownloadJob>, id: Int, priority: Float, delay: Double, environment: DownloadEnvironment,
    observer: any DownloadObserver, loop: TransferLoop
  ) {
    if delay > 0 { hold(id, seconds: delay, environment: environment, on: loop) }
    let origin = origin(of: job.url)
    let known = Known(observer, job, environment)
    observers[id] = known
    if observer.isSuspended { suspendedWaiting.insert(id) }
    let entry = WaitingLine.Entry(id: id, priority: priority, origin: origin) { [unowned self] in
      let driver = DownloadDriver(job: known.job, environment: environment, loop: loop, observer: observer) {
        [weak self] _ in
        self?.ended(id)
      }
      self.running[id] = (driver, origin)
      self.count(origin, by: 1)
      driver.start()
    }
    waiting.add(entry)
    admit()
  }

  /// The origin of an address, found once for what stands before its path.
  private func origin(of url: String) -> String {
    let slashes = url.utf8.indices.lazy.filter { url.utf8[$0] == 0x2F }
    let start = slashes.dropFirst(2).first.map { String(url[..<$0]) } ?? url
    if let known = origins[start] { return known }
    let origin = URLResolver.origin(of: url).map { "\($0.scheme)://\($0.host):\($0.port)" } ?? ""
    if origins.count >= Self.maximumOrigins { origins = [:] }
    origins[start] = origin
    return origin
  }

  /// Has no effect on a download that has ended, or that has yet to be added and is asked then.
  func suspend(_ id: Int) {
    guard let observer = observers[id]?.observer else { return }
    if let entry = running[id] {
      entry.driver.suspend()
      // Its place is free meanwhile: suspended downloads must not keep others from running.
      if paused.insert(id).inserted { count(entry.origin, by: -1) }
    } else {
      suspendedWaiting.insert(id)
    }
    // A driver has to know of a suspension that is over, too: the connection may have been lost in it.
    if observer.isSuspended { admit() } else { resume(id) }
  }

  /// Has no effect while the observer is suspended once more.
  func resume(_ id: Int) {
    guard let observer = observers[id]?.observer, !observer.isSuspended else { return }
    if let entry = running[id] {
      if paused.remove(id) != nil { count(entry.origin, by: 1) }
      return entry.driver.resume()
    }
    suspendedWaiting.remove(id)
    waiting.unblock(id)
    admit()
  }

  func limitChanged(_ id: Int) { running[id]?.driver.limitChanged() }

  func cancel(_ id: Int, producingResumeData: Bool) {
    if let entry = running[id] { return entry.driver.cancel(producingResumeData: producingResumeData) }
    guard let known = observers.removeValue(forKey: id) else { return }
    waiting.remove(id)
    suspendedWaiting.remove(id)
    known.observer.didEnd(known.job.value.endIdle(known.environment, producingResumeData: producingResumeData))
  }

  func flush() {
    for entry in Array(running.values) { entry.driver.flush() }
  }

  /// Keeps a download from beginning for a while.
  private func hold(_ id: Int, seconds: Double, environment: DownloadEnvironment, on loop: TransferLoop) {
    held.insert(id)
    loop.after(nanoseconds: LoopClock.nanoseconds(seconds)) { [weak self] in
      guard let self, let known = self.observers[id] else { return }
      let back = LoopReference(self)
      known.observer.willBegin { answer in environment.perform { _ in back.value.mayBegin(id, answer) } }
    }
  }

  /// The session's answer for a download whose time has come.
  private func mayBegin(_ id: Int, _ answer: DelayedStart) {
    guard held.remove(id) != nil else { return }
    waiting.unblock(id)
    switch answer {
    case .asPlanned: break
    case .instead(let request):
      if let known = observers[id] { known.job = Shared(known.job.value.asking(request)) }
    case .cancel: return cancel(id, producingResumeData: false)
    }
    admit()
  }

  private func admit() {
    // Looked up anew each time: what begins may end at once and admit others itself.
    while let entry = waiting.next(hasRoom: hasRoom, isBlocked: isBlocked) { entry.begin() }
  }

  private func isBlocked(_ id: Int) -> Bool { suspendedWaiting.contains(id) || held.contains(id) }

  private func hasRoom(_ entry: WaitingLine.Entry) -> Bool {
    guard let known = observers[entry.id] else { return true }
    let maximum = known.job.options.maximumDownloads
    if maximum > 0, running.count - paused.count >= maximum { return false }
    let limit = known.job.options.maximumConnectionsPerHost
    return limit <= 0 || runningPerOrigin[entry.origin, default: 0] < limit
  }

  private func ended(_ id: Int) {
    observers[id] = nil
    guard let entry = running.removeValue(forKey: id) else { return }
    if paused.remove(id) == nil { count(entry.origin, by: -1) }
    admit()
  }

  private func count(_ origin: String, by change: Int) {
    let count = runningPerOrigin[origin, default: 0] + change
    runningPerOrigin[origin] = count > 0 ? count : nil
  }
}
