import Foundation

/// One connection, served on its own thread from the first request to the last.
struct Connection: Sendable {
  private enum Flow {
    /// The next step, or the next request.
    case proceed
    /// Close in order.
    case finish
    /// Close at once: a reset is armed, or the client has gone.
    case abandon
  }

  /// Times of one throttled piece: short enough that the speed looks even.
  private static let piecesPerSecond: Int64 = 50
  private static let maximumPiece: Int64 = 256 * 1024

  let number: Int
  let descriptor: Int32
  let core: ServerCore

  /// Returns when the connection is to be closed.
  func serve() {
    var reader = RequestReader(descriptor)
    while !core.stopped.isOpen {
      switch reader.next() {
      case .end: return
      case .malformed(let bytes):
        core.log.update { $0.malformed.append(bytes) }
        if Socket.send(descriptor, Answer.head(400, nil, [("Content-Length", "0"), ("Connection", "close")])) {
          Socket.finish(descriptor)
        }
        return
      case .request(let head, let body):
        switch respond(to: record(head, body)) {
        case .proceed: continue
        case .finish: return Socket.finish(descriptor)
        case .abandon: return
        }
      }
    }
  }

  private func record(_ head: RequestHead, _ body: Data) -> ReceivedRequest {
    core.log.update { log in
      let request = ReceivedRequest(
        number: log.requests.count + 1, connection: number, arrival: .now, method: head.method, target: head.target,
        version: head.version, headerLines: head.lines, fields: head.fields, headBytes: head.bytes, body: body)
      log.requests.append(request)
      return request
    }
  }

  private func respond(to request: ReceivedRequest) -> Flow {
    var sent = SentResponse()
    let flow = play(core.answer(to: request), request, &sent)
    guard flow == .proceed else { return flow }
    return request.allowsReuse && sent.allowsReuse(method: request.method) ? .proceed : .finish
  }

  private func play(_ answer: Answer, _ request: ReceivedRequest, _ sent: inout SentResponse) -> Flow {
    for step in answer.steps {
      let flow = play(step, request, &sent)
      if flow != .proceed { return flow }
    }
    return .proceed
  }

  private func play(_ step: Answer.Step, _ request: ReceivedRequest, _ sent: inout SentResponse) -> Flow {
    switch step {
    case .send(let data): return send(data, &sent)
    case .sendSlowly(let data, let chunk, let pause): return send(data, max(1, chunk), pause, &sent)
    case .stream(let content, let range, let speed): return stream(content, range, speed, &sent)
    case .pause(let milliseconds): core.stopped.wait(milliseconds: milliseconds)
    case .wait(let gate): gate.wait(or: core.stopped)
    case .signal(let gate): gate.open()
    case .perform(let action): action()
    case .compute(let make): return play(make(request), request, &sent)
    case .hang: Socket.waitForPeerToClose(descriptor)
    case .close: return .finish
    case .reset:
      Socket.prepareReset(descriptor, stopped: core.stopped)
      return .abandon
    case .closeListener: core.closeListener()
    }
    return core.stopped.isOpen ? .abandon : .proceed
  }

  private func send(_ data: Data, _ sent: inout SentResponse) -> Flow {
    sent.note(data)
    return Socket.send(descriptor, data) ? .proceed : .abandon
  }

  private func send(_ data: Data, _ chunk: Int, _ pauseMilliseconds: Int, _ sent: inout SentResponse) -> Flow {
    var rest = data
    while !rest.isEmpty {
      guard send(rest.prefix(chunk), &sent) == .proceed else { return .abandon }
      rest = rest.dropFirst(chunk)
      if core.stopped.wait(milliseconds: pauseMilliseconds) { return .abandon }
    }
    return .proceed
  }

  private func stream(_ content: Content, _ range: Range<Int64>, _ speed: Int64?, _ sent: inout SentResponse) -> Flow {
    let begin = ContinuousClock.now
    let piece = speed.map { min(max(1, $0 / Self.piecesPerSecond), Self.maximumPiece) } ?? Self.maximumPiece
    var offset = range.lowerBound
    while offset < range.upperBound {
      let end = min(offset + piece, range.upperBound)
      guard send(content.bytes(offset..<end), &sent) == .proceed else { return .abandon }
      offset = end
      guard let speed, speed > 0 else { continue }
      // Measured from the start, so that late wake-ups do not add up.
      let due = Double(offset - range.lowerBound) / Double(speed)
      let early = due - (ContinuousClock.now - begin) / .seconds(1)
      if core.stopped.wait(milliseconds: Int(early * 1000)) { return .abandon }
    }
    return .proceed
  }
}
