internal import CCurl

/// The TLS sessions of a loop's connections (libcurl-share(3)).
///
/// A connection that follows another one to the same server, after a pause or a failure, need not begin with a whole
/// handshake (RFC 8446 section 2.2). libcurl resumes a session only under the same settings. Confined to the loop's
/// thread, like the handles that share it, which hold it.
final class TLSSessions {
  let pointer: UnsafeMutableRawPointer

  init?() {
    guard let pointer = curl_share_init() else { return nil }
    self.pointer = pointer
    // Where libcurl refuses, as one without TLS does, each connection begins with a whole handshake.
    _ = ccurl_share_tls_sessions(pointer)
  }

  deinit { curl_share_cleanup(pointer) }
}
