internal import Foundation
internal import FoundationNetworking

/// The cookies of a session, in the storage that its configuration names.
///
/// FoundationNetworking's storage hands out cookies for other paths, for plain connections although they are secure,
/// and takes those that a host sets for a whole top-level domain. The rules of RFC 6265 are therefore applied here.
// HTTPCookieStorage guards its contents with a lock; the other property is a constant.
struct CookieStore: CookieExchange, @unchecked Sendable {
  private let storage: HTTPCookieStorage
  private let acceptsCookies: Bool

  /// `nil` when the configuration does without cookies.
  init?(_ configuration: URLSessionConfiguration) {
    guard configuration.httpShouldSetCookies, let storage = configuration.httpCookieStorage else { return nil }
    self.storage = storage
    // There is no page around a download: "only from the main document's domain" is fulfilled by the request itself.
    acceptsCookies = configuration.httpCookieAcceptPolicy != .never
  }

  func field(for url: String) -> String? {
    guard storage.cookies?.isEmpty == false, let address = URL(string: url), let target = Target(address) else {
      return nil
    }
    let cookies = (storage.cookies(for: address) ?? []).filter { target.matches($0, at: Date()) }
    // Longer paths first (RFC 6265 section 5.4).
    let sorted = cookies.sorted { ($0.path.utf8.count, $1.name) > ($1.path.utf8.count, $0.name) }
    let pairs = sorted.map { "\($0.name)=\($0.value)" }.filter { !FieldSyntax.hasControlCharacters($0) }
    return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
  }

  func accept(_ values: [String], from url: String) {
    guard acceptsCookies, let address = URL(string: url), let target = Target(address) else { return }
    for value in values {
      for cookie in HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: address) {
        guard target.maySet(cookie) else { continue }
        if Self.isGone(cookie, value: value) { storage.deleteCookie(cookie) } else { storage.setCookie(cookie) }
      }
    }
  }

  /// Whether a cookie says that it ends at once; upstream would keep one with `Max-Age=0` for the session.
  private static func isGone(_ cookie: HTTPCookie, value: String) -> Bool {
    for piece in FieldSyntax.pieces(value, separator: 0x3B) where piece.lowercased().hasPrefix("max-age=") {
      return Int(piece.dropFirst("max-age=".count)).map { $0 <= 0 } ?? false
    }
    return cookie.expiresDate.map { $0 <= Date() } ?? false
  }
}

/// Where a request goes, as far as cookies care.
private struct Target {
  let host: String
  let path: String
  let isSecure: Bool

  init?(_ url: URL) {
    guard let host = url.host?.lowercased(), !host.isEmpty else { return nil }
    self.host = host
    let path = url.path(percentEncoded: true)
    self.path = path.hasPrefix("/") ? path : "/"
    isSecure = url.scheme?.lowercased() == "https"
  }

  func matches(_ cookie: HTTPCookie, at now: Date) -> Bool {
    domainMatches(cookie) && pathMatches(cookie.path) && (isSecure || !cookie.isSecure)
      && cookie.expiresDate.map { $0 > now } ?? true
  }

  /// A host may set cookies for itself and for a domain that it lies in, which has to have a dot in it: without a list
  /// of public suffixes this keeps a host from setting one for all of `com`.
  func maySet(_ cookie: HTTPCookie) -> Bool {
    domainMatches(cookie) && (plainDomain(cookie) == host || plainDomain(cookie).contains("."))
      && (isSecure || !cookie.isSecure)
  }

  private func domainMatches(_ cookie: HTTPCookie) -> Bool {
    let domain = plainDomain(cookie)
    if domain == host { return true }
    let isAddress = host.contains(":") || host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
    return cookie.domain.hasPrefix(".") && !domain.isEmpty && !isAddress && host.hasSuffix("." + domain)
  }

  private func plainDomain(_ cookie: HTTPCookie) -> String {
    let domain = cookie.domain.lowercased()
    return domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
  }

  private func pathMatches(_ wanted: String) -> Bool {
    path == wanted || (path.hasPrefix(wanted) && (wanted.hasSuffix("/") || path.dropFirst(wanted.count).hasPrefix("/")))
  }
}
