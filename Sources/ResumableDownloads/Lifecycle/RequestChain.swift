internal import Foundation

/// The requests of one download, one after the other: where each goes and what it carries.
struct RequestChain {
  private let job: Shared<DownloadJob>
  private let cookies: (any CookieExchange)?
  private(set) var hop: RedirectHop
  /// What proves the user, by the origin that asked for it.
  private var credentials: [URLResolver.Origin: TransferCredential] = [:]
  /// How often each origin has refused what it got.
  private var refusals: [URLResolver.Origin: Int] = [:]

  init(job: Shared<DownloadJob>, cookies: (any CookieExchange)?) {
    self.job = job
    self.cookies = cookies
    hop = RedirectHop(url: job.url, method: job.method, fields: job.fields, body: job.body)
  }

  /// The next request asks the original address again, so that a redirect to a signed one is renewed.
  mutating func begin() {
    hop = RedirectHop(url: job.url, method: job.method, fields: job.fields, body: job.body)
  }

  /// The next request asks another address.
  mutating func follow(_ next: RedirectHop) { hop = next }

  /// From now on the origin that was asked last gets this credential.
  mutating func authenticate(_ credential: TransferCredential) {
    guard let origin = URLResolver.origin(of: hop.url) else { return }
    if credentials.updateValue(credential, forKey: origin) != nil { refusals[origin, default: 0] += 1 }
  }

  /// How many credentials the origin that was asked last has refused.
  var failureCount: Int {
    guard let origin = URLResolver.origin(of: hop.url), credentials[origin] != nil else { return 0 }
    return refusals[origin, default: 0] + 1
  }

  func request(_ point: ResumePoint?) -> TransferRequest {
    var fields = hop.requestFields(point)
    let credential = credentials.isEmpty ? nil : URLResolver.origin(of: hop.url).flatMap { credentials[$0] }
    if credential != nil { fields.removeAll { $0.isNamed("Authorization") } }
    // A caller's own cookies are the caller's business.
    if !fields.contains(where: { $0.isNamed("Cookie") }), let value = cookies?.field(for: hop.url) {
      fields.append(HeaderField(name: "Cookie", value: value))
    }
    return TransferRequest(
      url: hop.url, method: hop.method, fields: fields, body: hop.body, credential: credential,
      inactivityTimeout: job.inactivityTimeout, options: job.options)
  }

  /// Keeps the cookies of an answer.
  func accept(_ head: ResponseHead) {
    let values = head.values("Set-Cookie")
    if !values.isEmpty { cookies?.accept(values, from: head.url) }
  }
}

/// The cookies of a session. Used on the loop's thread.
protocol CookieExchange: Sendable {
  /// The value of the Cookie field for a request, if any cookie goes there (RFC 6265 section 5.4).
  func field(for url: String) -> String?
  /// Keeps the cookies that an answer may set (RFC 6265 section 5.3).
  func accept(_ values: [String], from url: String)
}
