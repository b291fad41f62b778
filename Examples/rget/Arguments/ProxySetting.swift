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

/// What `--limit-rate` says.
enum ByteRate {
  /// Reads bytes a second, as in `500K` or `1.5M`.
  static func parse(_ text: String) throws(UsageError) -> Int64 {
    let units: [Character: Double] = ["K": 1024, "M": 1_048_576, "G": 1_073_741_824]
    let unit = text.last.flatMap { units[Character($0.uppercased())] }
    let digits = unit == nil ? text[...] : text.dropLast()
    let isPlain = digits.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard isPlain, let number = Double(digits), case let rate = number * (unit ?? 1), (1...1e15).contains(rate) else {
      throw UsageError(reason: "--limit-rate needs bytes a second, as in 500K or 1.5M, not \(text)")
    }
    return Int64(rate)
  }
}
