internal import CCurl

/// Why one HTTP exchange ended without a complete answer.
///
/// The codes are libcurl's (libcurl-errors(3)); Lifecycle translates them to `URLError` in one table.
struct TransferError: Error, Sendable, Equatable {
  enum Cause: Sendable, Equatable {
    /// libcurl's own code.
    case curl(UInt32)
    /// There is no way to other hosts at the moment; libcurl's code.
    case offline(UInt32)
    /// No byte arrived for the request's timeout.
    case inactive
    /// The head of the answer is larger than `HeadCollector.maximumBytes` or is not HTTP.
    case malformedHead
    /// The receiver of the bytes asked to stop; it knows the reason.
    case stoppedByReceiver
    /// The address of the request is one that libcurl cannot use.
    case malformedURL
  }

  let cause: Cause
  /// libcurl's text for people, possibly empty.
  let message: String
  /// The system call's error, 0 when there was none (CURLINFO_OS_ERRNO(3)).
  let systemError: Int32

  init(_ cause: Cause, message: String = "", systemError: Int32 = 0) {
    self.cause = cause
    self.message = message
    self.systemError = systemError
  }

  init(curl code: CURLcode, message: String = "", systemError: Int32 = 0) {
    let text = message.isEmpty ? String(cString: curl_easy_strerror(code)) : message
    self.init(.curl(UInt32(code.rawValue)), message: text, systemError: systemError)
  }
}

extension TransferError {
  var isOffline: Bool {
    if case .offline = cause { true } else { false }
  }

  /// A name that could not be resolved: CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST.
  var isNameFailure: Bool { cause == .curl(5) || cause == .curl(6) }
}
