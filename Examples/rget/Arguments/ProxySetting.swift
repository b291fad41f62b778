import Foundation

/// What `--proxy` says.
enum ProxySetting: Equatable, Sendable {
  /// Not even one that the environment names.
  case none
  case http(host: String, port: Int, login: Options.Credentials?)
  case socks(host: String, port: Int, login: Options.Credentials?)

  /// Reads `[http://|socks5h://][user[:password]@]host:port`, or `none`.
  init(_ text: String) throws(UsageError) {
    guard text != "none" else {
      self = .none
      return
    }
    let address = text.contains("://") ? text : "http://\(text)"
    guard let parts = URLComponents(string: address), let host = parts.host, !host.isEmpty,
      ["", "/"].contains(parts.path), parts.query == nil
    else { throw UsageError(reason: "--proxy needs HOST:PORT, not \(text)") }
    let login = parts.user.map { Options.Credentials(user: $0, password: parts.password ?? "") }
    switch parts.scheme?.lowercased() {
    case "http": self = .http(host: host, port: parts.port ?? 80, login: login)
    case "socks5h", "socks5": self = .socks(host: host, port: parts.port ?? 1080, login: login)
    default: throw UsageError(reason: "--proxy knows http:// and socks5h://, not \(text)")
    }
  }

  /// The keys of Apple's `connectionProxyDictionary`.
  var dictionary: [AnyHashable: Any] {
    switch self {
    case .none: [:]
    case .http(let host, let port, let login):
      Self.entries("HTTP", host, port, login).merging(Self.entries("HTTPS", host, port, login)) { first, _ in first }
    case .socks(let host, let port, let login): Self.entries("SOCKS", host, port, login)
    }
  }

  private static func entries(
    _ kind: String, _ host: String, _ port: Int, _ login: Options.Credentials?
  ) -> [AnyHashable: Any] {
    var entries: [AnyHashable: Any] = ["\(kind)Enable": 1, "\(kind)Proxy": host, "\(kind)Port": port]
    if let login {
      entries["\(kind)User"] = login.user
      entries["\(kind)Password"] = login.password ?? ""
    }
    return entries
  }
}
