public import Foundation

/// Passes bytes between clients and another server on 127.0.0.1, and can interrupt an answer at an exact byte.
///
/// What a server has written says little about what a client has read, because sockets hold megabytes. Bytes that do
/// not leave the relay cannot have been read. It runs until it is released.
public final class Relay: Sendable {
  /// How an interrupted answer goes on.
  public enum Ending: Sendable {
    /// Nothing more comes, and the connection stays open until the client closes it.
    case hold
    /// The connection is closed in order.
    case close
  }

  /// What passed over one connection of a client.
  public struct Passage: Sendable {
    private static let blankLine = Data("\r\n\r\n".utf8)

    /// All that the client sent.
    public internal(set) var request = Data()
    /// The head of the first answer, with the blank line at its end.
    public private(set) var head = Data()
    /// How many bytes were passed to the client after that head.
    public internal(set) var bodyBytes: Int64 = 0
    private var hasHead = false

    /// Takes what belongs to the head from the bytes that come next, and returns the rest.
    mutating func takeHead(from data: Data) -> Data {
      if hasHead { return data }
      head.append(data)
      guard let end = head.range(of: Self.blankLine)?.upperBound else { return Data() }
      hasHead = true
      let body = Data(head[end...])
      head = Data(head[..<end])
      return body
    }
  }

  /// The port that clients connect to, chosen by the system.
  public let port: UInt16
  private let core: RelayCore

  /// Starts a relay to a port on 127.0.0.1.
  ///
  /// - Throws: `ServerError` if no socket or thread can be made.
  public init(to server: UInt16) throws {
    let listener = try Socket.listen(address: "127.0.0.1", port: 0)
    do {
      port = try Socket.port(of: listener)
    } catch {
      Socket.close(listener)
      throw error
    }
    core = RelayCore(listener: listener, server: server)
    Thread.detachNewThread { [core] in core.acceptLoop() }
  }

  deinit { core.stop() }

  /// The URL of a path, which must begin with a slash and be valid in a URL.
  public func url(_ path: String) -> URL {
    let text = "http://127.0.0.1:\(port)\(path)"
    guard let url = URL(string: text) else { preconditionFailure("not a URL: \(text)") }
    return url
  }

  /// Interrupts the answer on the next connection after that many bytes of body; those that follow pass in full.
  public func interruptNext(afterBodyBytes count: Int64, _ ending: Ending) { core.interruptNext(count, ending) }

  /// The connections so far, in order.
  public var passages: [Passage] { core.passages.value }
}
