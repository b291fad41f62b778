import Foundation
import Glibc
import Synchronization

/// What the threads of a server share. They hold it, not the public object, so that the latter's `deinit` can stop
/// them.
final class ServerCore: Sendable {
  struct Log: Sendable {
    var requests: [ReceivedRequest] = []
    var unexpected = 0
    var malformed: [Data] = []
    var connections = 0
  }

  private struct State: Sendable {
    var listener: Int32?
    var acceptor: ServerThread?
    /// Descriptors that are open, by connection. A connection leaves before its descriptor is closed.
    var open: [Int: Int32] = [:]
    var threads: [Int: ServerThread] = [:]
    var ended: [Int] = []
    var isStopping = false
  }

  let log = Observed(Log())
  /// Opens when the server begins to stop: it ends every wait.
  let stopped = Gate()
  private let handler: @Sendable (ReceivedRequest) -> Answer?
  private let allStopped = Gate()
  private let state: Mutex<State>

  init(listener: Int32, handler: @escaping @Sendable (ReceivedRequest) -> Answer?) {
    self.handler = handler
    state = Mutex(State(listener: listener))
  }

  func start(_ listener: Int32) throws {
    do {
      let thread = try ServerThread { [self] in acceptLoop(listener) }
      state.withLock { $0.acceptor = thread }
    } catch {
      Socket.close(listener)
      throw error
    }
  }

  func answer(to request: ReceivedRequest) -> Answer {
    if let answer = handler(request) { return answer }
    log.update { $0.unexpected += 1 }
    return .status(500, Data("no answer is left in the script\n".utf8))
  }

  func closeListener() {
    // Under the lock, so that the accept thread cannot close the descriptor meanwhile.
    state.withLock { if let listener = $0.listener { Socket.shutDown(listener) } }
  }

  func stop() {
    let (isFirst, isOwn) = state.withLock { state in
      defer { state.isStopping = true }
      return (!state.isStopping, state.threads.values.contains { $0.isCurrent })
    }
    guard isFirst else {
      // A handler that waited here would be waited for by whoever came first.
      return isOwn ? () : allStopped.wait(or: allStopped)
    }
    stopped.open()
    closeListener()
    state.withLock { state in
      defer { state.acceptor = nil }
      return state.acceptor
    }?.join()
    let threads = state.withLock { state in
      for descriptor in state.open.values { Socket.shutDown(descriptor) }
      return Array(state.threads.values)
    }
    for thread in threads { thread.join() }
    state.withLock { $0.threads = [:] }
    allStopped.open()
  }

  private func acceptLoop(_ listener: Int32) {
    while !stopped.isOpen {
      switch Socket.accept(listener) {
      case .success(let descriptor): begin(descriptor)
      // Out of descriptors or memory for the moment; anything else means that the listener was shut down.
      case .failure(.system(_, let code)) where [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code):
        stopped.wait(milliseconds: 10)
      case .failure:
        return endListening(listener)
      }
      reap()
    }
    endListening(listener)
  }

  private func endListening(_ listener: Int32) {
    state.withLock { $0.listener = nil }
    Socket.close(listener)
  }

  private func begin(_ descriptor: Int32) {
    let number = log.update { log in
      log.connections += 1
      return log.connections
    }
    state.withLock { $0.open[number] = descriptor }
    let connection = Connection(number: number, descriptor: descriptor, core: self)
    do {
      let thread = try ServerThread { [self] in
        connection.serve()
        end(number, descriptor)
      }
      state.withLock { $0.threads[number] = thread }
    } catch {
      end(number, descriptor)
    }
  }

  private func end(_ number: Int, _ descriptor: Int32) {
    state.withLock { state in
      state.open[number] = nil
      state.ended.append(number)
    }
    Socket.close(descriptor)
  }

  /// Joins the threads that have ended, so that a long test does not collect them.
  private func reap() {
    let threads = state.withLock { state in
      defer { state.ended = [] }
      return state.ended.compactMap { state.threads.removeValue(forKey: $0) }
    }
    for thread in threads { thread.join() }
  }
}
