import Dispatch
import Foundation
import Synchronization

/// What the threads of a relay share. They hold it, not the public object, so that the latter's `deinit` can stop them.
final class RelayCore: Sendable {
  private struct State: Sendable {
    var interruption: (bodyBytes: Int64, ending: Relay.Ending)?
    /// Descriptors that may be shut down; each leaves before it is closed.
    var open: Set<Int32> = []
    var isStopping = false
  }

  let passages = Observed<[Relay.Passage]>([])
  private let server: UInt16
  private let listener: Int32
  private let state: Mutex<State>
  private let threads = DispatchGroup()

  init(listener: Int32, server: UInt16) {
    self.listener = listener
    self.server = server
    state = Mutex(State(open: [listener]))
    threads.enter()
  }

  func interruptNext(_ count: Int64, _ ending: Relay.Ending) {
    state.withLock { $0.interruption = (count, ending) }
  }

  func stop() {
    state.withLock { state in
      state.isStopping = true
      for descriptor in state.open { Socket.shutDown(descriptor) }
    }
    threads.wait()
  }

  func acceptLoop() {
    while case .success(let client) = Socket.accept(listener) {
      let interruption = state.withLock { state in
        defer { state.interruption = nil }
        return state.interruption
      }
      guard hold(client) else { break }
      let index = passages.update { passages in
        passages.append(Relay.Passage())
        return passages.count - 1
      }
      threads.enter()
      Thread.detachNewThread { [self] in
        serve(client, index, interruption)
        release(client)
        threads.leave()
      }
    }
    release(listener)
    threads.leave()
  }

  private func serve(_ client: Int32, _ index: Int, _ interruption: (bodyBytes: Int64, ending: Relay.Ending)?) {
    guard case .success(let upstream) = Socket.connect(port: server), hold(upstream) else { return }
    defer { release(upstream) }
    var left = interruption?.bodyBytes
    while true {
      let isHeld = left == 0
      if isHeld, interruption?.ending == .close { return Socket.finish(client) }
      let (clientIsReady, serverIsReady) = Socket.waitForInput(client, isHeld ? nil : upstream)
      if clientIsReady {
        guard let data = Socket.receive(client), !data.isEmpty, Socket.send(upstream, data) else { return }
        passages.update { $0[index].request.append(data) }
      }
      if serverIsReady {
        guard let data = Socket.receive(upstream), !data.isEmpty else { return Socket.finish(client) }
        guard pass(data, to: client, index, &left) else { return }
      }
    }
  }

  /// Sends what the client may have of the data; false if the client has gone.
  private func pass(_ data: Data, to client: Int32, _ index: Int, _ left: inout Int64?) -> Bool {
    let allowed = passages.update { [left] passages in
      let body = passages[index].takeHead(from: data)
      let count = left.map { min($0, Int64(body.count)) } ?? Int64(body.count)
      passages[index].bodyBytes += count
      return (bodyBytes: count, bytes: data.count - body.count + Int(count))
    }
    left = left.map { $0 - allowed.bodyBytes }
    return Socket.send(client, data.prefix(allowed.bytes))
  }

  /// Takes a descriptor into the set that `stop` shuts down; closes it if that has happened already.
  private func hold(_ descriptor: Int32) -> Bool {
    let isHeld = state.withLock { state in
      if !state.isStopping { state.open.insert(descriptor) }
      return !state.isStopping
    }
    if !isHeld { Socket.close(descriptor) }
    return isHeld
  }

  private func release(_ descriptor: Int32) {
    state.withLock { _ = $0.open.remove(descriptor) }
    Socket.close(descriptor)
  }
}
