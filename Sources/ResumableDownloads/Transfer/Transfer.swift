internal import CCurl

/// One HTTP exchange under way: a request, the head of its answer, its body.
///
/// Confined to the loop's thread, made by `TransferLoop.start`.
final class Transfer {
  let request: TransferRequest
  /// Weak, so that a receiver that went away ends the exchange rather than being called.
  private(set) weak var sink: (any TransferSink)?
  let handle: EasyHandle
  private unowned let loop: TransferLoop
  private var collector = HeadCollector()
  private var stopCause: TransferError.Cause?
  private(set) var isPaused = false
  /// The loop's time when the last byte arrived.
  private(set) var lastActivity: UInt64
  var inactivityTimer: LoopTimer?

  init(request: TransferRequest, sink: any TransferSink, handle: EasyHandle, loop: TransferLoop) throws(TransferError) {
    self.request = request
    self.sink = sink
    self.handle = handle
    self.loop = loop
    lastActivity = loop.now
    try handle.prepare(
      request, onHeader: receiveHeader, onBody: receiveBody, context: Unmanaged.passUnretained(self).toOpaque())
  }

  /// Stops or continues reading from the connection (curl_easy_pause(3)). Time spent paused is not inactivity.
  func setPaused(_ paused: Bool) {
    guard paused != isPaused else { return }
    isPaused = paused
    touch()
    _ = curl_easy_pause(handle.pointer, paused ? CURLPAUSE_RECV : CURLPAUSE_CONT)
  }

  /// The error to report for libcurl's result, `nil` for success.
  func error(for code: CURLcode) -> TransferError? {
    if let stopCause { return TransferError(stopCause) }
    if code == CURLE_OK { return collector.isComplete ? nil : TransferError(.malformedHead) }
    return handle.failure(code)
  }

  private func touch() { lastActivity = loop.now }

  fileprivate func header(_ line: UnsafeRawBufferPointer) -> Bool {
    touch()
    switch collector.append(line, url: request.url) {
    case .more: return true
    case .malformed: return stop(.malformedHead)
    case .complete(let head): return obey(sink?.transfer(self, didReceive: head))
    }
  }

  fileprivate func body(_ bytes: UnsafeRawBufferPointer) -> Bool {
    touch()
    guard collector.isComplete else { return stop(.malformedHead) }
    return obey(sink?.transfer(self, didReceive: bytes))
  }

  private func obey(_ answer: SinkAnswer?) -> Bool {
    answer == .proceed || stop(.stoppedByReceiver)
  }

  private func stop(_ cause: TransferError.Cause) -> Bool {
    stopCause = stopCause ?? cause
    return false
  }
}

/// CURLOPT_HEADERFUNCTION(3): another count than the one given ends the exchange.
private func receiveHeader(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  // The loop holds the transfer for as long as its handle can call back.
  let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  let goesOn = transfer.header(UnsafeRawBufferPointer(start: bytes, count: size * count))
  return goesOn ? size * count : size * count &+ 1
}

/// CURLOPT_WRITEFUNCTION(3), with the same rule.
private func receiveBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  // As above: the loop holds the transfer.
  let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  let goesOn = transfer.body(UnsafeRawBufferPointer(start: bytes, count: size * count))
  return goesOn ? size * count : size * count &+ 1
}
