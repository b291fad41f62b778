internal import CCurl
internal import Glibc

/// A multi handle of libcurl, and the descriptors with which a loop waits for it. The engine is the last to hold it.
// Any thread may wake the loop up; the pointer is used on the loop's thread only.
final class MultiHandle: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer
  /// Waits for the others (epoll(7)).
  let poll: Int32
  /// Ends a wait when it becomes readable (eventfd(2)).
  let wakeup: Int32

  /// `nil` when the system grants no more memory or descriptors.
  init?() {
    (poll, wakeup) = (ccurl_epoll_open(), ccurl_event_open())
    guard poll >= 0, wakeup >= 0, ccurl_epoll_control(poll, EPOLL_CTL_ADD, wakeup, ccurl_epoll_in) == 0,
      let pointer = curl_multi_init()
    else {
      for descriptor in [poll, wakeup] where descriptor >= 0 { close(descriptor) }
      return nil
    }
    self.pointer = pointer
  }

  deinit {
    curl_multi_cleanup(pointer)
    for descriptor in [poll, wakeup] { close(descriptor) }
  }

  func wakeUp() {
    var one: UInt64 = 1
    write(wakeup, &one, MemoryLayout.size(ofValue: one))
  }

  /// Takes all that has been written since the last time.
  func drain() {
    var count: UInt64 = 0
    read(wakeup, &count, MemoryLayout.size(ofValue: count))
  }
}
