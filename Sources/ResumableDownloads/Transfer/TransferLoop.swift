internal import CCurl

/// Owns libcurl's multi handle, every running exchange and every timer of one session.
///
/// Made and used on its own thread only; others reach it through `TransferEngine.perform`.
final class TransferLoop {
  /// How long the loop may wait without any timer: epoll_wait(2) takes an `int` of milliseconds.
  private static let longestWait: Int32 = 3_600_000
  private static let settlingNanoseconds: UInt64 = 100_000_000
  /// Idle easy handles that are kept for reuse.
  private static let maximumIdleHandles = 64

  private let multi: MultiHandle
  private let sockets: LoopSockets
  private var running: [UnsafeMutableRawPointer: Transfer] = [:]
  private var idleHandles: [EasyHandle] = []
  private let sessions = TLSSessions()
  let gatherer = PieceGatherer()
  private(set) var receiveBuffer = ReceiveBufferSize()
  private var timers = LoopTimers()
  /// Opened for the first who waits for the network.
  private var monitor: NetworkMonitor?
  /// How often the network has changed since then.
  private(set) var networkChanges = 0
  private var networkWaiters: [() -> Void] = []
  /// The limit that all exchanges of the session share.
  let bandwidth = BandwidthLimit()
  /// The time at which the current turn of the loop began.
  private(set) var now = LoopClock.now()

  private let endBatch: (any EndBatch)?

  init(_ multi: MultiHandle, endBatch: (any EndBatch)?) {
    self.multi = multi
    sockets = LoopSockets(multi)
    self.endBatch = endBatch
  }

  /// Begins an exchange. Its sink must stay alive until the end.
  func start(_ request: TransferRequest, sink: any TransferSink) throws(TransferError) -> Transfer {
    guard let handle = idleHandles.popLast() ?? EasyHandle(sessions: sessions) else {
      throw TransferError(curl: CURLE_OUT_OF_MEMORY)
    }
    let transfer = try Transfer(request: request, sink: sink, handle: handle, loop: self)
    guard curl_multi_add_handle(multi.pointer, handle.pointer) == CURLM_OK else {
      throw TransferError(curl: CURLE_OUT_OF_MEMORY)
    }
    running[handle.pointer] = transfer
    watchForSilence(transfer)
    return transfer
  }

  /// Ends an exchange without telling its sink. Not from inside `didReceive`.
  func cancel(_ transfer: Transfer) {
    guard running.removeValue(forKey: transfer.handle.pointer) != nil else { return }
    transfer.cancelled()
    gatherer.drop(transfer)
    release(transfer)
  }

  /// Lets no more bytes of an exchange come for a while; for `didReceive`.
  func hold(_ transfer: Transfer, nanoseconds: UInt64) -> LoopTimer {
    transfer.holdBack(for: .limited)
    return after(nanoseconds: nanoseconds) { [weak self, weak transfer] in
      guard let self, let transfer, self.running[transfer.handle.pointer] === transfer else { return }
      transfer.setPaused(false, for: .limited)
    }
  }

  /// Ends an exchange that libcurl gave up outside of `turn()`, and tells its sink in the next turn.
  func end(_ transfer: Transfer, code: CURLcode) {
    after(nanoseconds: 0) { [weak self] in
      guard let self, self.running.removeValue(forKey: transfer.handle.pointer) != nil else { return }
      self.finish(transfer, code: code)
    }
  }

  /// Runs an action on this thread after a while.
  @discardableResult
  func after(nanoseconds: UInt64, _ action: @escaping () -> Void) -> LoopTimer {
    let timer = LoopTimer(deadline: LoopClock.now() &+ nanoseconds, action: action)
    if nanoseconds > 0 { timers.add(timer) } else { timers.addSoon(timer) }
    return timer
  }

  /// Takes the time for what follows; after a long wait the last one is stale.
  func tick() { now = LoopClock.now() }

  /// Waits for a socket, a timer or a wake-up, or only looks what there is. To be called before the jobs are taken, so
  /// that the wake-up for a later one is not lost.
  func wait(isPatient: Bool) {
    sockets.wait(milliseconds: isPatient ? longestWait() : 0)
    if sockets.isReady(multi.wakeup) { multi.drain() }
  }

  /// One turn: moves the bytes of what the last wait has found ready, reports ends, fires timers. No job may come between
  /// them: libcurl reads from a socket of which it is told, also for an exchange that was paused meanwhile.
  func turn() {
    tick()
    var networkHasChanged = false
    sockets.serve(at: now) { descriptor in
      if descriptor == multi.wakeup { return true }
      guard let monitor, monitor.descriptors.contains(descriptor) else { return false }
      networkHasChanged = monitor.drain() || networkHasChanged
      return true
    }
    gatherer.flush()
    reportEnds()
    if networkHasChanged {
      networkChanges += 1
      wakeNetworkWaiters()
    }
    for timer in timers.due(at: LoopClock.now()) { timer.fire() }
  }

  private func longestWait() -> Int32 {
    if running.isEmpty { timers.removeCancelled() }
    let earliest = min(timers.earliest, sockets.deadline)
    guard earliest != .max else { return Self.longestWait }
    let now = LoopClock.now()
    // Rounded up: waking a moment early would spin.
    let left = earliest > now ? (earliest - now + 999_999) / 1_000_000 : 0
    return Int32(min(left, UInt64(Self.longestWait)))
  }

  /// Runs an action once, soon after the machine's network has changed from what it was at the given count of changes;
  /// `false` when nothing would tell.
  func onNetworkChange(since count: Int, _ action: @escaping () -> Void) -> Bool {
    if monitor == nil {
      monitor = NetworkMonitor()
      for descriptor in monitor?.descriptors ?? [] { sockets.add(descriptor) }
    }
    guard monitor != nil else { return false }
    networkWaiters.append(action)
    if count != networkChanges { wakeNetworkWaiters() }
    return true
  }

  /// One change comes as many messages: what waits looks again when they have settled.
  private func wakeNetworkWaiters() {
    let waiters = networkWaiters
    networkWaiters = []
    guard !waiters.isEmpty else { return }
    after(nanoseconds: Self.settlingNanoseconds) { for waiter in waiters { waiter() } }
  }

  /// Ends everything without telling anybody; the last call.
  func close() {
    for transfer in running.values { release(transfer) }
    running.removeAll()
    idleHandles.removeAll()
    sockets.close()
  }

  private func reportEnds() {
    var left: Int32 = 0
    var isBatch = false
    defer { if isBatch { endBatch?.didEndExchanges() } }
    while let message = curl_multi_info_read(multi.pointer, &left) {
      if !isBatch { endBatch?.willEndExchanges() }
      isBatch = true
      guard message.pointee.msg == CURLMSG_DONE, let pointer = message.pointee.easy_handle else { continue }
      let code = ccurl_message_result(message)
      guard let transfer = running.removeValue(forKey: pointer) else { continue }
      finish(transfer, code: code)
    }
  }

  private func finish(_ transfer: Transfer, code: CURLcode) {
    transfer.ended()
    receiveBuffer.note(bodyBytes: transfer.times.bodyBytesReceived)
    let error = transfer.error(for: code)
    release(transfer, isReusable: error == nil)
    transfer.sink?.transfer(transfer, didEndWith: error)
  }

  /// A handle whose exchange failed is not used again: after some failures, such as that of a name, libcurl still has its
  /// receive buffer and refuses to change the size. Its connections belong to the loop and stay.
  private func release(_ transfer: Transfer, isReusable: Bool = false) {
    transfer.inactivityTimer?.cancel()
    transfer.inactivityTimer = nil
    curl_multi_remove_handle(multi.pointer, transfer.handle.pointer)
    if isReusable, idleHandles.count < Self.maximumIdleHandles { idleHandles.append(transfer.handle) }
  }

  /// Checks once a timeout, not once a byte: the timer looks when the last byte came and sets itself again.
  private func watchForSilence(_ transfer: Transfer) {
    let limit = LoopClock.nanoseconds(transfer.request.inactivityTimeout)
    guard limit > 0 else { return }
    let wake = transfer.lastActivity &+ limit
    let clock = LoopClock.now()
    transfer.inactivityTimer = after(nanoseconds: wake > clock ? wake - clock : 0) { [weak self, weak transfer] in
      guard let self, let transfer, self.running[transfer.handle.pointer] === transfer else { return }
      if transfer.isPaused {
        transfer.inactivityTimer = self.after(nanoseconds: limit) { [weak self, weak transfer] in
          if let self, let transfer { self.watchForSilence(transfer) }
        }
      } else if LoopClock.now() >= transfer.lastActivity &+ limit {
        self.cancel(transfer)
        transfer.sink?.transfer(transfer, didEndWith: TransferError(.inactive))
      } else {
        self.watchForSilence(transfer)
      }
    }
  }
}
