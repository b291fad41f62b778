internal import Foundation

/// One request of a chain of redirects: what is sent, and how the next one follows from it (RFC 9110 section 15.4).
struct RedirectHop: Sendable, Equatable {
  var url: String
  var method: String
  var fields: [HeaderField]
  var body: Data?

  /// Fields that are secrets of one origin and never go to another.
  private static let secrets: Set<String> = ["authorization", "cookie", "proxy-authorization"]

  /// The request that a redirect leads to; `nil` when its target is no http(s) address.
  func following(location: String, status: Int) -> RedirectHop? {
    guard let target = URLResolver.resolve(location, against: url) else { return nil }
    var next = self
    next.url = target
    if status == 303 && method != "HEAD" || (status == 301 || status == 302) && method == "POST" {
      next.method = "GET"
      next.body = nil
      next.fields.removeAll { $0.name.lowercased().hasPrefix("content-") }
    }
    if URLResolver.origin(of: target) != URLResolver.origin(of: url) {
      next.fields.removeAll { Self.secrets.contains($0.name.lowercased()) }
    }
    return next
  }

  /// All fields that go on the wire; the range of the point stays on every hop.
  func requestFields(_ point: ResumePoint?) -> [HeaderField] {
    var result = point == nil ? fields : ResumeRules.sanitizedRequestFields(fields)
    if !result.contains(where: { $0.isNamed("Accept-Encoding") }) {
      // Ranges count bytes of the coded body, so the plain one is asked for (RFC 9110 section 8.4).
      result.append(HeaderField(name: "Accept-Encoding", value: "identity"))
    }
    return result + (point?.requestFields ?? [])
  }
}
