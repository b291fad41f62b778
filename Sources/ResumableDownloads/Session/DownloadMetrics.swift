public import Foundation

/// What happened when in one download task: the counterpart of Apple's `URLSessionTaskMetrics`.
///
/// FoundationNetworking's own class cannot be filled from outside, so this one is delivered, by
/// `DownloadSessionDelegate.urlSession(_:task:didFinishCollecting:)`.
public struct DownloadMetrics: Sendable {
  /// From the first `resume()` to the end of the task.
  public var taskInterval: DateInterval
  /// How often a redirect was followed.
  public var redirectCount: Int
  /// One entry for each exchange with a server, redirects, refused credentials, retries and parts included, in order.
  /// At most the first thousand.
  public var transactionMetrics: [Transaction]

  /// One exchange. Dates are `nil` for parts that did not happen, for example those of a connection that was reused.
  public struct Transaction: Sendable {
    /// Where the request went.
    public var url: String
    /// How the request asked.
    public var method: String
    /// The status of the answer; `nil` when none arrived.
    public var statusCode: Int?
    /// When the exchange began.
    public var fetchStartDate: Date
    /// When the name of the host had been resolved.
    public var domainLookupEndDate: Date?
    /// When the connection stood.
    public var connectEndDate: Date?
    /// When TLS had been agreed on.
    public var secureConnectionEndDate: Date?
    /// When the request was about to be sent.
    public var requestStartDate: Date?
    /// When the first byte of the answer had arrived.
    public var responseStartDate: Date?
    /// When the exchange ended.
    public var responseEndDate: Date
    /// As RFC 7301 spells them: `http/1.1`, `h2`.
    public var networkProtocolName: String?
    /// Whether the connection had served before.
    public var isReusedConnection: Bool
    /// Bytes of the answer's head, as received.
    public var countOfResponseHeaderBytesReceived: Int64
    /// Bytes of the answer's body, as received.
    public var countOfResponseBodyBytesReceived: Int64
    /// Bytes of the request, as sent.
    public var countOfRequestBytesSent: Int64
    /// The address and port of the server, or of the proxy.
    public var remoteAddress: String?
    /// See `remoteAddress`; 0 when unknown.
    public var remotePort: Int
    /// The address and port of this end.
    public var localAddress: String?
    /// See `localAddress`; 0 when unknown.
    public var localPort: Int
  }
}

extension DownloadMetrics.Transaction {
  init(_ record: ExchangeRecord) {
    let times = record.times
    func date(_ microseconds: Int64) -> Date? {
      microseconds > 0 ? record.began.addingTimeInterval(Double(microseconds) / 1e6) : nil
    }
    self.init(
      url: record.url, method: record.method, statusCode: record.head?.status, fetchStartDate: record.began,
      domainLookupEndDate: times.isConnectionReused ? nil : date(times.nameLookup),
      connectEndDate: times.isConnectionReused ? nil : date(times.connect),
      secureConnectionEndDate: times.isConnectionReused ? nil : date(times.secureConnection),
      requestStartDate: date(times.request), responseStartDate: date(times.firstByte),
      responseEndDate: date(times.total) ?? record.began, networkProtocolName: times.protocolName,
      isReusedConnection: times.isConnectionReused,
      countOfResponseHeaderBytesReceived: times.headerBytesReceived,
      countOfResponseBodyBytesReceived: times.bodyBytesReceived,
      countOfRequestBytesSent: times.requestBytesSent, remoteAddress: times.remoteAddress,
      remotePort: times.remotePort, localAddress: times.localAddress, localPort: times.localPort)
  }
}
