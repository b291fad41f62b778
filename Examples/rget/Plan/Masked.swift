import Foundation

/// What may be shown of a request.
enum Masked {
  private static let secretFields: Set<String> = [
    "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "x-auth-token",
  ]

  /// A URL without user, password and query, which hold secrets as often as not.
  static func url(_ url: URL) -> String {
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return "a URL" }
    (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
    let hasQuery = parts.percentEncodedQuery?.isEmpty == false
    parts.percentEncodedQuery = nil
    return (parts.string ?? "a URL") + (hasQuery ? "?…" : "")
  }

  /// A field as a line; the value of one that proves who somebody is gets stars.
  static func field(_ name: String, _ value: String) -> String {
    "\(name): \(secretFields.contains(name.lowercased()) ? "***" : visible(value))"
  }

  /// Text of a server that cannot steer a terminal.
  static func visible(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          let category = scalar.properties.generalCategory
          return category == .control || category == .format ? "?" : scalar
        }))
  }
}
