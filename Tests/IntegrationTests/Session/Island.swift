import Dispatch
import Foundation
import Glibc
import LoopbackServer
import TestSupport
import Testing

/// A thread that leaves the machine's network for a new one with only a loopback interface. The threads of what it
/// makes live there too: those of a server, the loop of a session whose first task it resumes, and programs.
final class Island: Sendable {
  private let jobs = DispatchSemaphore(value: 0)
  private let queue = Observed<[@Sendable () -> Void]>([])
  private let hasMoved = Observed<Int32?>(nil)

  init() async throws {
    Thread.detachNewThread { [jobs, queue, hasMoved] in
      let code = Self.leaveNetwork()
      hasMoved.update { $0 = code }
      guard code == 0 else { return }
      while true {
        jobs.wait()
        guard let job = queue.update({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
        job()
      }
    }
    let code = try await hasMoved.wait(for: "the move") { $0 != nil }
    try #require(code == 0)
  }

  deinit { jobs.signal() }

  /// unshare(2) with CLONE_NEWNET, both of which Swift's Glibc module leaves out.
  private static func leaveNetwork() -> Int32 {
    typealias Unshare = @convention(c) (Int32) -> Int32
    guard let symbol = dlsym(nil, "unshare") else { return -1 }
    return unsafeBitCast(symbol, to: Unshare.self)(0x4000_0000)
  }

  func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    let result = Observed<Result<Value, any Error>?>(nil)
    queue.update { [result] in $0.append { result.update { $0 = Result { try body() } } } }
    jobs.signal()
    guard let value = try await result.wait(for: "the island", until: { $0 != nil }) else {
      throw CancellationError()
    }
    // The deadline of the wait keeps the result for a minute, and a server in it would outlive its test.
    result.update { $0 = nil }
    return try value.get()
  }

  /// Switches the loopback interface on, and with it the only address and route.
  func switchNetworkOn() async throws { try await set(UInt(SIOCSIFFLAGS), [UInt8(IFF_UP)]) }

  /// Takes the only address and route away. An interface that is merely down would keep them and lose packets.
  func switchNetworkOff() async throws {
    // struct sockaddr_in: the family, then the port and the address, both nought.
    try await set(UInt(SIOCSIFADDR), [UInt8(AF_INET)])
    try await set(UInt(SIOCSIFFLAGS), [])
  }

  /// Changes the network in a way that makes no way to other hosts.
  func changeNetwork() async throws { try await set(UInt(SIOCSIFMTU), withUnsafeBytes(of: Int32(1400)) { Array($0) }) }

  /// Lets a server take an address that is not there while the network is off (ip(7)).
  func allowAbsentAddresses() async throws {
    try await run { try Data("1".utf8).write(to: URL(fileURLWithPath: "/proc/sys/net/ipv4/ip_nonlocal_bind")) }
  }

  /// Changes the loopback interface (netdevice(7)).
  private func set(_ what: UInt, _ value: [UInt8]) async throws {
    try await run {
      let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
      defer { close(descriptor) }
      // struct ifreq: the name in 16 bytes, then the value.
      var request = [UInt8](repeating: 0, count: 64)
      request.replaceSubrange(0..<2, with: "lo".utf8)
      request.replaceSubrange(16..<16 + value.count, with: value)
      guard ioctl(descriptor, what, &request) == 0 else {
        throw TestSupportError.system(call: "ioctl \(what)", code: errno)
      }
    }
  }
}
