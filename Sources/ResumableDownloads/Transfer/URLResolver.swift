internal import CCurl

/// Addresses by libcurl's URL interface (libcurl-url(3)), which keeps what is percent-encoded as it is.
enum URLResolver {
  /// The parts of an address that decide whether two addresses have the same origin (RFC 6454).
  struct Origin: Sendable, Hashable {
    var scheme: String
    var host: String
    var port: String
  }

  /// The target of a `Location` header, relative to the address that answered; `nil` when it is no http(s) address.
  ///
  /// Bytes that may not stand in an address are escaped, all others go through untouched (RFC 9110 section 10.2.2).
  /// A fragment is dropped unless `Location` has one, and never goes on the wire.
  static func resolve(_ location: String, against base: String) -> String? {
    guard let url = curl_url() else { return nil }
    defer { curl_url_cleanup(url) }
    guard curl_url_set(url, CURLUPART_URL, base, 0) == CURLUE_OK else { return nil }
    let flags = UInt32(CURLU_PATH_AS_IS)
    guard curl_url_set(url, CURLUPART_URL, escapeIllegal(location), flags) == CURLUE_OK else { return nil }
    guard let scheme = part(CURLUPART_SCHEME, of: url)?.lowercased(), scheme == "http" || scheme == "https" else {
      return nil
    }
    return part(CURLUPART_URL, of: url)
  }

  /// The origin with the default port filled in; `nil` for what is no address.
  static func origin(of text: String) -> Origin? {
    guard let url = curl_url() else { return nil }
    defer { curl_url_cleanup(url) }
    guard curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK,
      let scheme = part(CURLUPART_SCHEME, of: url), let host = part(CURLUPART_HOST, of: url),
      let port = part(CURLUPART_PORT, of: url, flags: UInt32(CURLU_DEFAULT_PORT))
    else { return nil }
    return Origin(scheme: scheme.lowercased(), host: host.lowercased(), port: port)
  }

  private static func part(_ part: CURLUPart, of url: OpaquePointer, flags: UInt32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(url, part, &text, flags) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }

  /// Escapes controls, spaces, bytes above 0x7F and the few characters that no part of an address allows.
  private static func escapeIllegal(_ text: String) -> String {
    let illegal = Set("\"<>\\^`{|}".utf8)
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if byte <= 0x20 || byte >= 0x7F || illegal.contains(byte) {
        let digits = String(byte, radix: 16, uppercase: true)
        result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      } else {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return result
  }
}
