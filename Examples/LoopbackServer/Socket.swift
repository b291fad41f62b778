import Foundation
import Glibc

/// The system calls of the server, with interruptions and short writes handled in one place.
public enum Socket {
  private static let receiveSize = 64 * 1024
  /// POLLRDHUP of poll(2), which Swift's Glibc module does not show; the same on every architecture that Swift runs on.
  private static let peerHasClosed: Int16 = 0x2000
  /// How long a reset waits for the client to take what was sent, without any progress.
  private static let drainMilliseconds = 2000

  /// A listening socket on `address`, an IPv4 or IPv6 literal; port 0 lets the system choose.
  ///
  /// - Throws: `ServerError`.
  public static func listen(address: String, port: UInt16) throws -> Int32 {
    let isSix = address.contains(":")
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(isSix ? AF_INET6 : AF_INET, kind, 0)
    guard descriptor >= 0 else { throw ServerError.system(call: "socket", code: errno) }
    do {
      setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, Int32(1))
      guard try bind(descriptor, address, port, isSix) == 0 else { throw ServerError.system(call: "bind", code: errno) }
      guard Glibc.listen(descriptor, 128) == 0 else { throw ServerError.system(call: "listen", code: errno) }
      return descriptor
    } catch {
      Glibc.close(descriptor)
      throw error
    }
  }

  /// The port that a bound socket has.
  ///
  /// - Throws: `ServerError`.
  public static func port(of descriptor: Int32) throws -> UInt16 {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    guard result == 0 else { throw ServerError.system(call: "getsockname", code: errno) }
    // The port has the same place in the addresses of both families.
    return withUnsafeBytes(of: &storage) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
  }

  /// The next connection, or the value of `errno`.
  static func accept(_ listener: Int32) -> Result<Int32, ServerError> {
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      if descriptor >= 0 {
        // accept4(2) would set this at once, but Swift's Glibc module does not show it.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // Small writes are small packets: a test decides what the client sees at once.
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
        return .success(descriptor)
      }
      let code = errno
      if code != EINTR && code != ECONNABORTED { return .failure(.system(call: "accept", code: code)) }
    }
  }

  /// A connection to a port on 127.0.0.1.
  public static func connect(port: UInt16) -> Result<Int32, ServerError> {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return .failure(.system(call: "socket", code: errno)) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else {
      defer { Glibc.close(descriptor) }
      return .failure(.system(call: "connect", code: errno))
    }
    return .success(descriptor)
  }

  /// Blocks until one of the two has something to read, an end included, and says which; nil is not waited for.
  static func waitForInput(_ first: Int32, _ second: Int32?) -> (first: Bool, second: Bool) {
    // poll(2) skips negative descriptors.
    var entries = [first, second ?? -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&entries, 2, -1) < 0 && errno == EINTR {}
    return (entries[0].revents != 0, entries[1].revents != 0)
  }

  /// Sends everything; false if the client has gone. Never raises SIGPIPE.
  static func send(_ descriptor: Int32, _ data: Data) -> Bool {
    data.withUnsafeBytes { buffer in
      var sent = 0
      while sent < buffer.count {
        let rest = UnsafeRawBufferPointer(rebasing: buffer[sent...])
        let count = Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
        if count >= 0 { sent += count } else if errno != EINTR { return false }
      }
      return true
    }
  }

  /// What has arrived, empty at the end of the stream, nil if the connection is broken. Blocks.
  static func receive(_ descriptor: Int32) -> Data? {
    var data = Data(count: receiveSize)
    while true {
      let count = data.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
      if count >= 0 { return data.prefix(count) }
      if errno != EINTR { return nil }
    }
  }

  /// Blocks until the client has closed or reset the connection, or until it is shut down here.
  static func waitForPeerToClose(_ descriptor: Int32) {
    var entry = pollfd(fd: descriptor, events: Self.peerHasClosed, revents: 0)
    while poll(&entry, 1, -1) < 0 && errno == EINTR {}
  }

  /// Says goodbye in order: our end first, then everything that the client still sends, so that no reset is produced.
  static func finish(_ descriptor: Int32) {
    shutdown(descriptor, Int32(SHUT_WR))
    while let data = receive(descriptor), !data.isEmpty {}
  }

  /// Arms a reset: the close that follows sends RST, once the client's side has taken what was sent before.
  static func prepareReset(_ descriptor: Int32, stopped: Gate) {
    var (last, idle) = (unacknowledged(descriptor), 0)
    while last > 0 && idle < drainMilliseconds {
      if stopped.wait(milliseconds: 1) { break }
      let now = unacknowledged(descriptor)
      idle = now == last ? idle + 1 : 0
      last = now
    }
    setOption(descriptor, SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
  }

  /// Wakes every call that blocks on the socket; the descriptor stays valid.
  static func shutDown(_ descriptor: Int32) {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Closes a socket.
  public static func close(_ descriptor: Int32) {
    // No retry: Linux releases the descriptor even if close is interrupted.
    Glibc.close(descriptor)
  }

  /// Bytes that the other side's kernel has not confirmed (SIOCOUTQ, tcp(7)).
  private static func unacknowledged(_ descriptor: Int32) -> Int32 {
    var count: Int32 = 0
    return withUnsafeMutablePointer(to: &count) { ioctl(descriptor, UInt(TIOCOUTQ), $0) } == 0 ? count : 0
  }

  private static func setOption<Value>(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Value) {
    withUnsafeBytes(of: value) { _ = setsockopt(descriptor, level, name, $0.baseAddress, socklen_t($0.count)) }
  }

  private static func bind(_ descriptor: Int32, _ address: String, _ port: UInt16, _ isSix: Bool) throws -> Int32 {
    if isSix {
      var six = sockaddr_in6()
      six.sin6_family = sa_family_t(AF_INET6)
      six.sin6_port = port.bigEndian
      guard inet_pton(AF_INET6, address, &six.sin6_addr) == 1 else { throw ServerError.invalidAddress(address) }
      return bind(descriptor, &six)
    }
    var four = sockaddr_in()
    four.sin_family = sa_family_t(AF_INET)
    four.sin_port = port.bigEndian
    guard inet_pton(AF_INET, address, &four.sin_addr) == 1 else { throw ServerError.invalidAddress(address) }
    return bind(descriptor, &four)
  }

  private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }
}
