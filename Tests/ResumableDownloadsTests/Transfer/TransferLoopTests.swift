internal import Dispatch
internal import Glibc
internal import LoopbackServer
internal import Testing

@testable internal import ResumableDownloads

@Suite("The order in which a loop works", .timeLimit(.minutes(1)))
struct TransferLoopTests {
  /// An exchange and what has become of it.
  private final class Sink: TransferSink {
    let received = Observed(0)
    let events = Observed([String]())
    var transfer: Transfer?

    func transfer(_ transfer: Transfer, didReceive head: ResponseHead) -> SinkAnswer { .proceed }
    func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> SinkAnswer {
      received.update { [count = bytes.count] in $0 += count }
      return .proceed
    }
    func transfer(_ transfer: Transfer, didEndWith error: TransferError?) {
      events.update { $0.append("the end") }
    }
  }

  /// A server's end of one connection.
  private struct Connection {
    static let head = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
    static let sent = 50_000
    let descriptor: Int32

    /// Answers the first who comes with half of a body.
    init(listener: Int32) {
      var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
      poll(&waiting, 1, -1)
      descriptor = accept(listener, nil, nil)
      let bytes = Array(Self.head.utf8) + [UInt8](repeating: 7, count: Self.sent)
      send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// The client hears of it before this returns (socket(7), "SO_LINGER").
    func reset() {
      var now = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout.size(ofValue: now)))
      close(descriptor)
    }
  }

  @Test("What was asked for comes before what has happened since")
  func order() async throws {
    let listener = try Socket.listen(address: "127.0.0.1", port: 0)
    defer { Socket.close(listener) }
    let port = try Socket.port(of: listener)
    let engine = try TransferEngine()
    defer { engine.shutDown() }
    let made = Sink()
    let (received, events) = (made.received, made.events)
    let sink = LoopReference(made)
    engine.perform { loop in
      let request = TransferRequest(
        url: "http://127.0.0.1:\(port)/", method: "GET", fields: [], inactivityTimeout: 0, options: TransferOptions())
      sink.value.transfer = try? loop.start(request, sink: sink.value)
    }
    let connection = Connection(listener: listener)
    _ = try await received.wait(for: "half of the body") { $0 == Connection.sent }

    // The loop is busy while a pause is asked for and the connection breaks.
    let (isBusy, mayGoOn) = (Observed(false), DispatchSemaphore(value: 0))
    engine.perform { _ in
      isBusy.update { $0 = true }
      mayGoOn.wait()
    }
    _ = try await isBusy.wait(for: "the loop") { $0 }
    engine.perform { _ in
      events.update { $0.append("the pause") }
      sink.value.transfer?.setPaused(true, for: .suspended)
    }
    connection.reset()
    mayGoOn.signal()
    engine.perform { _ in sink.value.transfer?.setPaused(false, for: .suspended) }
    let order = try await events.wait(for: "the end") { $0.contains("the end") }
    #expect(order == ["the pause", "the end"])
    await withCheckedContinuation { continuation in
      _ = engine.perform { _ in
        sink.value.transfer = nil
        continuation.resume()
      }
    }
  }
}
