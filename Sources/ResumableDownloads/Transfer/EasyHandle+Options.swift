internal import CCurl

/// What a session sets for all of its requests.
extension EasyHandle {
  func setOptions(of request: TransferRequest) throws(TransferError) {
    try setTLS(request.options)
    try setProxy(for: request)
    try setCredential(request.credential)
  }

  private func setTLS(_ options: TransferOptions) throws(TransferError) {
    if let path = options.trustAnchorsPath { try set(CURLOPT_CAINFO, path) }
    if let certificate = options.clientCertificate {
      try set(CURLOPT_SSLCERT, certificate.certificatePath)
      try set(CURLOPT_SSLKEY, certificate.keyPath)
      if let password = certificate.password { try set(CURLOPT_KEYPASSWD, password) }
    }
    switch options.minimumTLSVersion {
    case nil: break
    case .tls10: try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_0))
    case .tls11: try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_1))
    case .tls12: try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    case .tls13: try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_3))
    }
  }

  private func setProxy(for request: TransferRequest) throws(TransferError) {
    // A 407 is answered with the better one of what the proxy offers, so that the password never goes out in the clear
    // to a proxy that knows digests; `Transfer` waits for that answer (CURLOPT_PROXYAUTH(3)).
    try set(CURLOPT_PROXYAUTH, ccurl_auth_basic | ccurl_auth_digest)
    // Without a table libcurl looks into the environment itself.
    guard let table = request.options.proxies else { return }
    let isSecure = request.url.lowercased().hasPrefix("https:")
    guard let proxy = isSecure ? table.https : table.http else {
      // An empty text switches the environment's proxies off (CURLOPT_PROXY(3)).
      return try set(CURLOPT_PROXY, "")
    }
    try set(CURLOPT_PROXY, proxy.url)
    try set(CURLOPT_NOPROXY, table.exceptions.joined(separator: ","))
    if let user = proxy.user {
      try set(CURLOPT_PROXYUSERNAME, user)
      try set(CURLOPT_PROXYPASSWORD, proxy.password ?? "")
    }
  }

  private func setCredential(_ credential: TransferCredential?) throws(TransferError) {
    guard let credential else { return }
    try set(CURLOPT_USERNAME, credential.user)
    try set(CURLOPT_PASSWORD, credential.password)
    try set(CURLOPT_HTTPAUTH, credential.scheme == .basic ? ccurl_auth_basic : ccurl_auth_digest)
  }
}
