import Dispatch
import Foundation
import FoundationNetworking
import Glibc
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Waiting for the network, in a network of the test's own.
@Suite(.timeLimit(.minutes(2)), .enabled(if: geteuid() == 0, "only root may make a network namespace"))
struct ConnectivityTests {
  /// A thread that leaves the machine's network for a new one with only a loopback interface. The threads of what it makes
  /// live there too: those of the server, and the loop of a session whose first task it resumes.
  private final class Island: Sendable {
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
      return try value.get()
    }

    /// Switches the loopback interface on, and with it the only address and route (netdevice(7)).
    func switchNetworkOn() async throws {
      try await run {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        // struct ifreq: the name in 16 bytes, then the flags.
        var request = [UInt8](repeating: 0, count: 64)
        request.replaceSubrange(0..<2, with: "lo".utf8)
        request[16] = UInt8(IFF_UP)
        guard ioctl(descriptor, UInt(SIOCSIFFLAGS), &request) == 0 else {
          throw TestSupportError.commandFailed("SIOCSIFFLAGS: \(errno)")
        }
      }
    }
  }

  private final class Waiting: NSObject, DownloadSessionDelegate {
    let calls = Observed<[String]>([])
    let body = Observed<Data?>(nil)

    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
      calls.update { $0.append("waiting") }
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
      let data = try? Data(contentsOf: location)
      body.update { $0 = data }
      calls.update { $0.append("finish") }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      let code = (error as? URLError)?.code.rawValue
      calls.update { $0.append("complete \(code ?? 0)") }
    }
  }

  private func start(
    on island: Island, _ url: URL, _ configure: @escaping @Sendable (URLSessionConfiguration) -> Void
  ) async throws -> (DownloadSession, Waiting) {
    let delegate = Waiting()
    let session = try await island.run {
      let configuration = URLSessionConfiguration.ephemeral
      configure(configuration)
      let session = DownloadSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      session.downloadTask(with: url).resume()
      return session
    }
    return (session, delegate)
  }

  @Test("A task that waits for the network tells so once, and goes on when a route appears")
  func waits() async throws {
    let island = try await Island()
    let server = try await island.run {
      // Lets the server take an address that is not there yet (ip(7)).
      try Data("1".utf8).write(to: URL(fileURLWithPath: "/proc/sys/net/ipv4/ip_nonlocal_bind"))
      return try LoopbackServer { _ in .ok(Data("x".utf8)) }
    }
    let (session, delegate) = try await start(on: island, server.url()) { $0.waitsForConnectivity = true }
    _ = try await delegate.calls.wait(for: "the wait") { $0 == ["waiting"] }
    #expect(server.requests.isEmpty)
    try await island.switchNetworkOn()
    _ = try await delegate.calls.wait(for: "the end") { $0.count == 3 }
    #expect(delegate.calls.value == ["waiting", "finish", "complete 0"])
    #expect(delegate.body.value == Data("x".utf8))
    session.finishTasksAndInvalidate()
  }

  @Test("Without the setting a missing network is an error, for addresses and for names")
  func fails() async throws {
    let island = try await Island()
    for text in ["http://127.0.0.1:9/f", "http://files.test/f"] {
      let url = try #require(URL(string: text))
      let (session, delegate) = try await start(on: island, url) { _ in }
      _ = try await delegate.calls.wait(for: "the end") { !$0.isEmpty }
      #expect(delegate.calls.value == ["complete \(URLError.Code.notConnectedToInternet.rawValue)"])
      session.finishTasksAndInvalidate()
    }
  }

  @Test("The wait is bounded by the time for the whole download")
  func bounded() async throws {
    let island = try await Island()
    let url = try #require(URL(string: "http://files.test/f"))
    let (session, delegate) = try await start(on: island, url) {
      $0.waitsForConnectivity = true
      $0.timeoutIntervalForResource = 0.2
    }
    _ = try await delegate.calls.wait(for: "the end") { $0.count == 2 }
    #expect(delegate.calls.value == ["waiting", "complete \(URLError.Code.timedOut.rawValue)"])
    session.finishTasksAndInvalidate()
  }
}
