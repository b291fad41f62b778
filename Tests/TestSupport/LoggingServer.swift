/// A real server that writes a line for each request, into `access.log` in its folder.
public protocol LoggingServer: RealServer {
  /// What a line says; nil if it is not such a line.
  static func access(_ line: Substring) -> LoggedRequest?
}

/// A request and its answer, as a server has logged them.
public struct LoggedRequest: Sendable, Equatable {
  /// The method.
  public let method: String
  /// The target as the client sent it.
  public let target: String
  /// The status that was sent.
  public let status: Int
  /// The `Range` field; nil if there was none.
  public let range: String?
  /// The `If-Range` field; nil if there was none.
  public let ifRange: String?
  /// How many bytes of body were sent.
  public let bodyBytes: Int64
  /// The protocol, for instance `HTTP/2.0`.
  public let version: String
  /// Whether its connection resumed a TLS session; false where the server does not tell.
  public let resumesTLS: Bool
  /// What orders the requests of one server by their arrival.
  let arrival: Double
}

extension LoggingServer {
  /// The requests in the order of their arrival, as soon as the log has at least `count` lines.
  ///
  /// A server writes a line when a request has ended, which is after the client has the response; and it may notice late
  /// that a client went away, when later requests have their lines already.
  public func accessLog(atLeast count: Int = 0) async throws -> [LoggedRequest] {
    try await FolderWatch.wait(
      in: process.folder.path, for: "\(count) lines of the access log"
    ) { [process] in Self.lines(of: process).count >= count }
    return Self.lines(of: process).compactMap(Self.access).sorted { $0.arrival < $1.arrival }
  }

  private static func lines(of process: ServerProcess) -> ArraySlice<Substring> {
    // A line without its end is still being written.
    process.log("access.log").split(separator: "\n", omittingEmptySubsequences: false).dropLast()
  }
}
