internal import CCurl
internal import Glibc
internal import Synchronization

/// A loop thread and the mailbox through which everybody else reaches it.
///
/// One for each session, started with the first task. `shutDown()` ends the thread, waits for it and frees everything.
final class TransferEngine: Sendable {
  typealias Job = @Sendable (TransferLoop) -> Void

  /// As often the mailbox is emptied before sockets get their turn.
  private static let maximumBatches = 8

  private struct State {
    var jobs: [Job] = []
    var isClosed = false
    var thread: pthread_t?
  }

  private let state = Mutex(State())
  private let multi: MultiHandle
  private let endBatch: (any EndBatch)?

  init(endBatch: (any EndBatch)? = nil) throws(TransferError) {
    guard libcurlIsReady, let multi = MultiHandle() else { throw TransferError(curl: CURLE_OUT_OF_MEMORY) }
    self.multi = multi
    self.endBatch = endBatch
    try startThread()
  }

  /// Runs a job on the loop's thread, in the order of the calls. Returns `false` when the engine is shut down.
  @discardableResult
  func perform(_ job: @escaping Job) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.jobs.append(job)
      // One wake-up serves all jobs that wait.
      if state.jobs.count == 1 { multi.wakeUp() }
      return true
    }
  }

  /// Ends the thread after the jobs that wait, and joins it unless called from it. Later calls have no effect.
  func shutDown() {
    let thread = state.withLock { state -> pthread_t? in
      guard !state.isClosed else { return nil }
      state.isClosed = true
      multi.wakeUp()
      return state.thread
    }
    guard let thread else { return }
    if pthread_equal(thread, pthread_self()) != 0 {
      pthread_detach(thread)
    } else {
      pthread_join(thread, nil)
    }
  }

  private func startThread() throws(TransferError) {
    var thread = pthread_t()
    // Released by the thread, or below when there is none.
    let context = Unmanaged.passRetained(ThreadStart { [self] in run() })
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        // Balances the retain above: the thread takes the closure over.
        Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      context.release()
      throw TransferError(curl: CURLE_OUT_OF_MEMORY, message: "cannot start a thread", systemError: code)
    }
    state.withLock { $0.thread = thread }
  }

  private func run() {
    blockSignals()
    let loop = TransferLoop(multi, endBatch: endBatch)
    var (jobs, isClosed) = ([Job](), false)
    while !isClosed || !jobs.isEmpty {
      // What somebody asked for comes before what has happened since: a suspended download outlives its connection. So
      // sockets are looked at first and then the mailbox, until that is empty, or it is high time for the sockets.
      for _ in 0..<Self.maximumBatches {
        loop.wait(isPatient: jobs.isEmpty && !isClosed)
        (jobs, isClosed) = takeJobs()
        if jobs.isEmpty { break }
        loop.tick()
        for job in jobs { job(loop) }
      }
      // A wake-up that this takes is none that the next wait needs: it is not patient.
      if !jobs.isEmpty { loop.wait(isPatient: false) }
      loop.turn()
    }
    loop.close()
  }

  private func takeJobs() -> (jobs: [Job], isClosed: Bool) {
    state.withLock { state in
      defer { state.jobs.removeAll() }
      return (state.jobs, state.isClosed)
    }
  }

  /// The program's signal handlers run on its own threads. Writing to a closed connection or past a file size limit
  /// then gives an error here instead of ending the process.
  private func blockSignals() {
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
  }
}

private final class ThreadStart: Sendable {
  let body: @Sendable () -> Void

  init(body: @escaping @Sendable () -> Void) { self.body = body }
}

/// curl_global_init(3) once a process, before the first handle.
private let libcurlIsReady: Bool = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK
