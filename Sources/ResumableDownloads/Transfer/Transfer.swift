internal import CCurl

/// One HTTP exchange under way: a request, the head of its answer, its body.
///
/// Confined to the loop's thread, made by `TransferLoop.start`.
final class Transfer {
  let request: TransferRequest
  /// Weak, so that a receiver that went away ends the exchange rather than being called.
  private(set) weak var sink: (any TransferSink)?
  let handle: EasyHandle
  /// Holds this exchange for as long as it runs.
  private let loop: TransferLoop
  fileprivate let gathered: UnsafeMutablePointer<PieceGatherer.Room>
  private var collector = HeadCollector()
  /// A head that libcurl may replace: the 401 that it answers itself with a digest (CURLOPT_HTTPAUTH(3)), or the 407
  /// that it answers with the proxy's password (CURLOPT_PROXYAUTH(3)).
  private var provisional: ResponseHead?
  private var stopCause: TransferError.Cause?
  private var pauses: Pauses = []
  /// Known once the exchange has ended in any way.
  private(set) var times = TransferTimes()
  /// The loop's time when the last byte arrived.
  private(set) var lastActivity: UInt64
  var inactivityTimer: LoopTimer?
  /// Whether pieces of the body are put together. The sink says so when it need not look at each of them.
  var isGathering = false

  init(request: TransferRequest, sink: any TransferSink, handle: EasyHandle, loop: TransferLoop) throws(TransferError) {
    self.request = request
    self.sink = sink
    self.handle = handle
    self.loop = loop
    gathered = loop.gatherer.room
    lastActivity = loop.now
    try handle.prepare(
      request, receiveBufferBytes: loop.receiveBuffer.bytes, onHeader: receiveHeader, onBody: receiveBody,
      context: context)
  }

  /// What libcurl hands back to the callbacks.
  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Why nothing is read at the moment.
  struct Pauses: OptionSet {
    let rawValue: UInt8
    /// The caller suspended the download.
    static let suspended = Pauses(rawValue: 1)
    /// The session's or the task's limit of bytes per second is used up.
    static let limited = Pauses(rawValue: 2)
    /// The receiver waits for something: after `SinkAnswer.hold` or `Transfer.hold`.
    static let held = Pauses(rawValue: 4)
  }

  var isPaused: Bool { !pauses.isEmpty }

  /// Stops or continues reading from the connection (curl_easy_pause(3)). Time spent paused is not inactivity.
  ///
  /// Not from inside `didReceive`. Body bytes may arrive before it returns.
  func setPaused(_ paused: Bool, for reason: Pauses) {
    let was = isPaused
    if paused { pauses.insert(reason) } else { pauses.remove(reason) }
    guard was != isPaused else { return }
    touch()
    let code = curl_easy_pause(handle.pointer, isPaused ? CURLPAUSE_RECV : CURLPAUSE_CONT)
    // What libcurl had kept was refused inside the call: it would go on with the next bytes.
    if code != CURLE_OK { loop.end(self, code: code) }
    loop.gatherer.flush()
  }

  /// From inside `didReceive`: the bytes at hand are taken, the next ones have to wait. No call into libcurl from here.
  func holdBack(for reason: Pauses) { pauses.insert(reason) }

  /// Lets no body byte come before `release()`. Not from inside `didReceive`.
  func hold() { setPaused(true, for: .held) }

  /// Lets the body come that `SinkAnswer.hold`, `hold()` or `holdBack(for: .held)` stopped.
  func release() { setPaused(false, for: .held) }

  /// Called once when libcurl has ended the exchange, before its result is read.
  func ended() {
    times = handle.times()
    if let head = provisional {
      provisional = nil
      _ = obey(sink?.transfer(self, didReceive: head))
    }
  }

  /// Called once when the loop gives the exchange up.
  func cancelled() { times = handle.times() }

  /// The error to report for libcurl's result, `nil` for success.
  func error(for code: CURLcode) -> TransferError? {
    if let stopCause { return TransferError(stopCause) }
    if code == CURLE_OK { return collector.isComplete ? nil : TransferError(.malformedHead) }
    return handle.failure(code)
  }

  private func touch() { lastActivity = loop.now }

  /// One line as a rule, but libcurl hands out in one piece what it kept while the exchange was paused.
  fileprivate func header(_ bytes: UnsafeRawBufferPointer) -> Bool {
    touch()
    var rest = bytes[...]
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
      guard take(UnsafeRawBufferPointer(rebasing: rest[..<end])) else { return false }
      rest = rest[end...]
    }
    return true
  }

  private func take(_ line: UnsafeRawBufferPointer) -> Bool {
    if provisional != nil, HeadCollector.isStatusLine(line) {
      provisional = nil
      collector.startOver()
    }
    switch collector.append(line, url: request.url) {
    case .more: return true
    case .malformed: return stop(.malformedHead)
    case .complete(let head):
      guard isProvisional(head) else { return obey(sink?.transfer(self, didReceive: head)) }
      provisional = head
      return true
    }
  }

  private func isProvisional(_ head: ResponseHead) -> Bool {
    head.status == 407 || head.status == 401 && request.credential?.scheme == .digest
  }

  fileprivate func body(_ bytes: UnsafeRawBufferPointer) -> BodyAnswer {
    touch()
    guard stopCause == nil else { return .end }
    guard collector.isComplete else { return answer(stop(.malformedHead)) }
    if let head = provisional {
      provisional = nil
      guard obey(sink?.transfer(self, didReceive: head)) else { return .end }
    }
    // libcurl keeps the bytes and hands them out again when the exchange goes on (CURLOPT_WRITEFUNCTION(3)).
    if isPaused { return .pause }
    return loop.gatherer.take(bytes, of: self)
  }

  enum BodyAnswer { case taken, pause, end }

  /// Hands bytes to the sink; false when it wants no more.
  func deliver(_ bytes: UnsafeRawBufferPointer) -> Bool { obey(sink?.transfer(self, didReceive: bytes)) }

  /// Ends the exchange because its sink wants no more, when libcurl is not at it.
  func endEarly() { loop.end(self, code: CURLE_WRITE_ERROR) }

  private func answer(_ goesOn: Bool) -> BodyAnswer { goesOn ? .taken : .end }

  private func obey(_ answer: SinkAnswer?) -> Bool {
    switch answer {
    case .proceed: return true
    case .hold:
      // No call into libcurl from here: the first body bytes are refused instead.
      pauses.insert(.held)
      return true
    case .stop, nil: return stop(.stoppedByReceiver)
    }
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
  let reference = Unmanaged<Transfer>.fromOpaque(context)
  let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
  if reference._withUnsafeGuaranteedRef({ $0.gathered.pointee.take(piece, of: context) }) { return size * count }
  switch reference.takeUnretainedValue().body(piece) {
  case .taken: return size * count
  case .pause: return Int(CURL_WRITEFUNC_PAUSE)
  case .end: return size * count &+ 1
  }
}
