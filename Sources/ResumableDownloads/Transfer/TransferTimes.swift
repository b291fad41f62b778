internal import CCurl

/// When the parts of one exchange happened, and between whom (CURLINFO_TOTAL_TIME_T(3) and its neighbours).
///
/// Microseconds since the start of the exchange; zero where a part did not happen.
struct TransferTimes: Sendable, Equatable {
  var nameLookup: Int64 = 0
  var connect: Int64 = 0
  var secureConnection: Int64 = 0
  var request: Int64 = 0
  var firstByte: Int64 = 0
  var total: Int64 = 0
  var isConnectionReused = false
  var headerBytesReceived: Int64 = 0
  var bodyBytesReceived: Int64 = 0
  var requestBytesSent: Int64 = 0
  var remoteAddress: String?
  var remotePort = 0
  var localAddress: String?
  var localPort = 0
  /// As RFC 7301 spells them: `http/1.1`, `h2`.
  var protocolName: String?
}

extension EasyHandle {
  /// The times of the exchange that this handle has just performed.
  func times() -> TransferTimes {
    var times = TransferTimes()
    times.nameLookup = offset(CURLINFO_NAMELOOKUP_TIME_T)
    times.connect = offset(CURLINFO_CONNECT_TIME_T)
    times.secureConnection = offset(CURLINFO_APPCONNECT_TIME_T)
    times.request = offset(CURLINFO_PRETRANSFER_TIME_T)
    times.firstByte = offset(CURLINFO_STARTTRANSFER_TIME_T)
    times.total = offset(CURLINFO_TOTAL_TIME_T)
    times.bodyBytesReceived = offset(CURLINFO_SIZE_DOWNLOAD_T)
    times.headerBytesReceived = Int64(long(CURLINFO_HEADER_SIZE))
    times.requestBytesSent = Int64(long(CURLINFO_REQUEST_SIZE))
    times.isConnectionReused = times.firstByte > 0 && long(CURLINFO_NUM_CONNECTS) == 0
    times.remoteAddress = string(CURLINFO_PRIMARY_IP)
    times.remotePort = long(CURLINFO_PRIMARY_PORT)
    times.localAddress = string(CURLINFO_LOCAL_IP)
    times.localPort = long(CURLINFO_LOCAL_PORT)
    times.protocolName = protocolName(long(CURLINFO_HTTP_VERSION))
    return times
  }

  private func protocolName(_ version: Int) -> String? {
    switch version {
    case CURL_HTTP_VERSION_1_0: "http/1.0"
    case CURL_HTTP_VERSION_1_1: "http/1.1"
    case CURL_HTTP_VERSION_2_0: "h2"
    default: nil
    }
  }

  private func offset(_ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    return ccurl_get_offset(pointer, info, &value) == CURLE_OK ? Int64(value) : 0
  }

  private func long(_ info: CURLINFO) -> Int {
    var value = 0
    return ccurl_get_long(pointer, info, &value) == CURLE_OK ? value : 0
  }

  private func string(_ info: CURLINFO) -> String? {
    var value: UnsafePointer<CChar>?
    guard ccurl_get_string(pointer, info, &value) == CURLE_OK, let value, value[0] != 0 else { return nil }
    return String(cString: value)
  }
}
