public import Foundation
import Synchronization

/// A small scripted HTTP/1.1 server on a loopback address.
///
/// It answers with exactly the bytes that a test or a demonstration wants, and keeps every request verbatim. Each
/// connection has a thread of its own, on which the handler runs. The server runs until `stop()` or until it is
/// released.
public final class LoopbackServer: Sendable {
  /// The address that the server listens on.
  public let address: String
  /// The port that the server listens on, chosen by the system unless one was asked for.
  public let port: UInt16
  private let core: ServerCore

  /// Starts a server that asks `handler` for every answer.
  ///
  /// - Parameters:
  ///   - address: `127.0.0.1`, another address in 127/8, or `::1`.
  ///   - port: 0 lets the system choose. A port whose server has just stopped can be used again at once.
  ///   - handler: Runs on the thread of the connection, on several at the same time if there are several.
  /// - Throws: `ServerError` if the address is invalid or cannot be bound.
  public convenience init(
    address: String = "127.0.0.1", port: UInt16 = 0, handler: @escaping @Sendable (ReceivedRequest) -> Answer
  ) throws {
    try self.init(address: address, port: port, optional: handler)
  }

  /// Starts a server that gives the n-th request the n-th answer of a script.
  ///
  /// A request beyond the script gets a 500 and is counted in `unexpectedRequests`. `Answer.from(_:)` makes an answer
  /// that depends on its request.
  public convenience init(_ script: [Answer], address: String = "127.0.0.1", port: UInt16 = 0) throws {
    try self.init(address: address, port: port) { request in
      request.number <= script.count ? script[request.number - 1] : nil
    }
  }

  private init(address: String, port: UInt16, optional handler: @escaping @Sendable (ReceivedRequest) -> Answer?) throws
  {
    let listener = try Socket.listen(address: address, port: port)
    self.address = address
    do {
      self.port = try Socket.port(of: listener)
    } catch {
      Socket.close(listener)
      throw error
    }
    core = ServerCore(listener: listener, handler: handler)
    try core.start(listener)
  }

  deinit { core.stop() }

  /// The URL of a target, which must begin with a slash and be valid in a URL.
  public func url(_ path: String = "/file") -> URL {
    let text = "\(origin)\(path)"
    guard let url = URL(string: text) else { preconditionFailure("not a URL: \(text)") }
    return url
  }

  /// Scheme, address and port, without a slash at the end.
  public var origin: String { address.contains(":") ? "http://[\(address)]:\(port)" : "http://\(address):\(port)" }

  /// The requests so far, in order of arrival.
  public var requests: [ReceivedRequest] { core.log.value.requests }

  /// How many requests came for which the script had no answer.
  public var unexpectedRequests: Int { core.log.value.unexpected }

  /// What came instead of a request: heads that are not HTTP/1.x, and requests that broke off.
  public var malformedRequests: [Data] { core.log.value.malformed }

  /// How many connections were accepted so far.
  public var connectionCount: Int { core.log.value.connections }

  /// Returns the requests as soon as there are at least `count`.
  ///
  /// - Throws: `ServerError.timedOut` at the deadline, `CancellationError` if the task is cancelled.
  @discardableResult
  public func waitForRequests(_ count: Int, timeoutSeconds: Double = 60) async throws -> [ReceivedRequest] {
    try await core.log.wait(for: "\(count) requests", timeoutSeconds: timeoutSeconds) {
      $0.requests.count >= count
    }.requests
  }

  /// Stops listening; later connections are refused and existing ones live on.
  public func closeListener() { core.closeListener() }

  /// Closes the listener and every connection and joins all threads.
  ///
  /// Returns when everything has ended, also when another thread has called it before. A handler that runs is waited
  /// for; called from a handler it does not wait for that one.
  public func stop() { core.stop() }
}
