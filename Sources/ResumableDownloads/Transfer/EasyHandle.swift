internal import CCurl
internal import Foundation
internal import Glibc

/// One libcurl easy handle, reused after exchanges that succeed, so that its memory is kept (libcurl-easy(3)).
///
/// Confined to the loop's thread.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  private let sessions: TLSSessions?
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  /// - Parameter sessions: What this handle shares with others.
  init?(sessions: TLSSessions? = nil) {
    guard let pointer = curl_easy_init() else { return nil }
    self.pointer = pointer
    self.sessions = sessions
    // It stays when the handle is reset (curl_easy_reset(3)).
    if let sessions { _ = ccurl_set_pointer(pointer, CURLOPT_SHARE, sessions.pointer) }
  }

  deinit {
    curl_easy_cleanup(pointer)
    curl_slist_free_all(headerList)
    errorText.deallocate()
  }

  /// Makes the handle ready for one request; `context` is handed to both callbacks.
  func prepare(
    _ request: TransferRequest, receiveBufferBytes: Int, onHeader: ccurl_data_callback, onBody: ccurl_data_callback,
    context: UnsafeMutableRawPointer
  ) throws(TransferError) {
    curl_easy_reset(pointer)
    errorText[0] = 0
    try check(ccurl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText))
    try setBehaviour(receiveBufferBytes)
    try setRequest(request)
    try setOptions(of: request)
    try check(ccurl_set_data_callback(pointer, CURLOPT_HEADERFUNCTION, onHeader))
    try check(ccurl_set_pointer(pointer, CURLOPT_HEADERDATA, context))
    try check(ccurl_set_data_callback(pointer, CURLOPT_WRITEFUNCTION, onBody))
    try check(ccurl_set_pointer(pointer, CURLOPT_WRITEDATA, context))
  }

  private func setBehaviour(_ receiveBufferBytes: Int) throws(TransferError) {
    try check(ccurl_allow_http_only(pointer))
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_BUFFERSIZE, receiveBufferBytes)
    try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try set(CURLOPT_TCP_KEEPALIVE, 1)
    // Our own timer watches for silence, also during connect; libcurl's default of 300 s must not come first.
    try set(CURLOPT_CONNECTTIMEOUT_MS, Int(Int32.max))
    // Enables decoding of a body that is coded although `identity` was asked for; the header itself is ours.
    try set(CURLOPT_ACCEPT_ENCODING, "")
  }

  private func setRequest(_ request: TransferRequest) throws(TransferError) {
    try set(CURLOPT_URL, request.url)
    // The request target goes out byte for byte: no removal of `..` segments (CURLOPT_PATH_AS_IS(3)).
    try set(CURLOPT_PATH_AS_IS, 1)
    try setMethod(request)
    curl_slist_free_all(headerList)
    headerList = nil
    for field in request.fields {
      // "Name;" is how libcurl is asked for an empty value (CURLOPT_HTTPHEADER(3)).
      let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
      guard let longer = curl_slist_append(headerList, line) else {
        throw TransferError(curl: CURLE_OUT_OF_MEMORY)
      }
      headerList = longer
    }
    try check(ccurl_set_list(pointer, CURLOPT_HTTPHEADER, headerList))
  }

  private func setMethod(_ request: TransferRequest) throws(TransferError) {
    switch (request.method, request.body) {
    case ("GET", nil):
      try set(CURLOPT_HTTPGET, 1)
    case ("HEAD", nil):
      try set(CURLOPT_NOBODY, 1)
    case (let method, let body):
      if let body {
        try check(ccurl_set_offset(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
        let code = body.withUnsafeBytes { bytes in
          // CURLOPT_COPYPOSTFIELDS(3) copies, so the buffer may go.
          if let start = bytes.bindMemory(to: CChar.self).baseAddress {
            ccurl_set_string(pointer, CURLOPT_COPYPOSTFIELDS, start)
          } else {
            ccurl_set_string(pointer, CURLOPT_COPYPOSTFIELDS, "")
          }
        }
        try check(code)
      }
      try set(CURLOPT_CUSTOMREQUEST, method)
    }
  }

  /// The reason of a failure, with libcurl's text and the system call's error.
  func failure(_ code: CURLcode) -> TransferError {
    var systemError = 0
    _ = ccurl_get_long(pointer, CURLINFO_OS_ERRNO, &systemError)
    let number = Int32(truncatingIfNeeded: systemError)
    let message = String(cString: errorText)
    if isOffline(code, systemError: number) {
      return TransferError(.offline(UInt32(code.rawValue)), message: message, systemError: number)
    }
    return TransferError(curl: code, message: message, systemError: number)
  }

  /// Whether the machine, not the server, is what cannot be reached.
  private func isOffline(_ code: CURLcode, systemError: Int32) -> Bool {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: NetworkMonitor.isOffline
    case CURLE_COULDNT_CONNECT: systemError == ENETUNREACH || systemError == ENETDOWN
    default: false
    }
  }

  func set(_ option: CURLoption, _ value: Int) throws(TransferError) {
    try check(ccurl_set_long(pointer, option, value))
  }

  func set(_ option: CURLoption, _ value: String) throws(TransferError) {
    try check(ccurl_set_string(pointer, option, value))
  }

  private func check(_ code: CURLcode) throws(TransferError) {
    guard code == CURLE_OK else { throw TransferError(curl: code) }
  }
}
