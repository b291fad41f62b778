internal import CCurl
internal import Glibc

/// What a loop waits for, and libcurl's part of it: sockets and a time (curl_multi_socket_action(3)).
///
/// A turn costs what is ready, however many exchanges there are. Confined to the loop's thread.
final class LoopSockets {
  /// As many ready descriptors as one turn takes; the next turn takes the others.
  private static let maximumReady = 64

  private let multi: UnsafeMutableRawPointer
  private let poll: Int32
  private let ready = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: maximumReady)
  private var readyCount = 0
  /// When libcurl wants to be called although nothing is ready; `max` for never.
  private(set) var deadline = UInt64.max

  init(_ multi: MultiHandle) {
    self.multi = multi.pointer
    poll = multi.poll
    ready.initialize(repeating: epoll_event())
    ccurl_multi_set_callbacks(self.multi, socketChanged, timeChanged, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { ready.deallocate() }

  /// Lets libcurl call back no more; to be called before the multi handle goes.
  func close() { ccurl_multi_set_callbacks(multi, nil, nil, nil) }

  /// Waits for another descriptor too, until it is closed.
  func add(_ descriptor: Int32) { _ = ccurl_epoll_control(poll, EPOLL_CTL_ADD, descriptor, ccurl_epoll_in) }

  /// Waits until something is ready, but not longer than so many milliseconds.
  func wait(milliseconds: Int32) {
    readyCount = max(0, Int(epoll_wait(poll, ready.baseAddress, Int32(ready.count), milliseconds)))
  }

  /// Whether a descriptor is among what the last wait has found ready.
  func isReady(_ descriptor: Int32) -> Bool { ready[..<readyCount].contains { $0.data.fd == descriptor } }

  /// Has libcurl do what is ready, and what is due at that time.
  ///
  /// - Parameter other: Gets each ready descriptor, takes it unless it is libcurl's, and tells whether it did.
  func serve(at now: UInt64, other: (Int32) -> Bool) {
    for event in ready[..<readyCount] where !other(event.data.fd) {
      // An error or an end shows when it is read or written.
      let failed = event.events & ~(ccurl_epoll_in | ccurl_epoll_out) != 0
      let reads = failed || event.events & ccurl_epoll_in != 0
      let writes = failed || event.events & ccurl_epoll_out != 0
      act(event.data.fd, (reads ? CURL_CSELECT_IN : 0) | (writes ? CURL_CSELECT_OUT : 0))
    }
    readyCount = 0
    guard deadline <= now else { return }
    deadline = .max
    act(CURL_SOCKET_TIMEOUT, 0)
  }

  private func act(_ socket: Int32, _ events: Int32) {
    var running: Int32 = 0
    _ = curl_multi_socket_action(multi, socket, events, &running)
  }

  fileprivate func watch(_ socket: Int32, _ what: Int32, isKnown: Bool) {
    let reads = what & CURL_POLL_IN != 0 && what != CURL_POLL_REMOVE
    let writes = what & CURL_POLL_OUT != 0 && what != CURL_POLL_REMOVE
    let events = (reads ? ccurl_epoll_in : 0) | (writes ? ccurl_epoll_out : 0)
    if events == 0 {
      // One that is closed already is not there any more.
      _ = ccurl_epoll_control(poll, EPOLL_CTL_DEL, socket, 0)
      return
    }
    let (first, second) = isKnown ? (EPOLL_CTL_MOD, EPOLL_CTL_ADD) : (EPOLL_CTL_ADD, EPOLL_CTL_MOD)
    // The kernel refuses only for want of memory; nothing is then heard of the socket, and silence ends the exchange.
    if ccurl_epoll_control(poll, first, socket, events) != 0 {
      _ = ccurl_epoll_control(poll, second, socket, events)
    }
    if !isKnown { curl_multi_assign(multi, socket, Unmanaged.passUnretained(self).toOpaque()) }
  }

  fileprivate func wake(after milliseconds: Int) {
    deadline = milliseconds < 0 ? .max : LoopClock.now() &+ LoopClock.nanoseconds(Double(milliseconds) / 1000)
  }
}

/// CURLMOPT_SOCKETFUNCTION(3).
private func socketChanged(
  _ handle: UnsafeMutableRawPointer?, _ socket: Int32, _ what: Int32, _ context: UnsafeMutableRawPointer?,
  _ known: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context else { return 0 }
  // The loop holds its sockets for as long as libcurl can call back, which `close()` ends.
  Unmanaged<LoopSockets>.fromOpaque(context).takeUnretainedValue().watch(socket, what, isKnown: known != nil)
  return 0
}

/// CURLMOPT_TIMERFUNCTION(3).
private func timeChanged(_ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?)
  -> Int32
{
  guard let context else { return 0 }
  // As above.
  Unmanaged<LoopSockets>.fromOpaque(context).takeUnretainedValue().wake(after: milliseconds)
  return 0
}
