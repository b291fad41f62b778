internal import CCurl
internal import Glibc

/// Tells when the way to other hosts may have changed: addresses, routes, or the names of resolvers and hosts.
///
/// Confined to the loop's thread, which waits for the descriptors together with its sockets: the kernel reports changes
/// (rtnetlink(7), inotify(7)), nothing is polled.
final class NetworkMonitor {
  /// `nil` when the kernel grants neither of the two.
  init?() {
    let routes = ccurl_open_route_socket()
    let names = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    // Editors and DHCP clients put a new file in the old one's place, so the folder is what has to be watched.
    let events = UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO)
    if names >= 0 { inotify_add_watch(names, "/etc", events) }
    descriptors = [routes, names].filter { $0 >= 0 }
    if descriptors.isEmpty { return nil }
  }

  deinit {
    for descriptor in descriptors { close(descriptor) }
  }

  /// What becomes readable when there is something to take.
  let descriptors: [Int32]

  /// Takes what has been reported; whether there was anything.
  func drain() -> Bool {
    var hasChanged = false
    var buffer = [UInt8](repeating: 0, count: 8192)
    for descriptor in descriptors {
      // An overrun (ENOBUFS) means that there was more than fits: a change too.
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count > 0 || (count < 0 && errno == ENOBUFS) {
          hasChanged = true
        } else if count == 0 || errno != EINTR {
          break
        }
      }
    }
    return hasChanged
  }

  /// Whether no address of this machine leads anywhere but to itself (getifaddrs(3)).
  static var isOffline: Bool {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return false }
    defer { freeifaddrs(list) }
    var next = list
    while let entry = next {
      next = entry.pointee.ifa_next
      let flags = entry.pointee.ifa_flags
      guard flags & UInt32(IFF_UP) != 0, flags & UInt32(IFF_LOOPBACK) == 0,
        let address = entry.pointee.ifa_addr
      else { continue }
      if Int32(address.pointee.sa_family) == AF_INET { return false }
      if Int32(address.pointee.sa_family) == AF_INET6, !isLinkLocal(address) { return false }
    }
    return true
  }

  /// An address that every interface gives itself (RFC 4291 section 2.5.6).
  private static func isLinkLocal(_ address: UnsafeMutablePointer<sockaddr>) -> Bool {
    address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
      withUnsafeBytes(of: address.pointee.sin6_addr) { $0[0] == 0xFE && $0[1] & 0xC0 == 0x80 }
    }
  }
}
