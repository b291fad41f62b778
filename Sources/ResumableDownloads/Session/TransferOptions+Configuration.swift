internal import Foundation
internal import FoundationNetworking

extension TransferOptions {
  /// What a configuration and the settings beside it mean for connections.
  init(_ configuration: URLSessionConfiguration, settings: SessionSettings) {
    self.init(maximumConnectionsPerHost: configuration.httpMaximumConnectionsPerHost)
    maximumDownloads = settings.maximumConcurrentDownloads
    proxies = configuration.connectionProxyDictionary.map { ProxyTable($0) }
    trustAnchorsPath = settings.trustAnchorsFile?.path
    clientCertificate = settings.clientCertificate.map {
      ClientCertificate(
        certificatePath: $0.certificateFile.path, keyPath: $0.keyFile.path, password: $0.keyPassword)
    }
    minimumTLSVersion = settings.minimumTLSVersion.map {
      switch $0 {
      case .TLSv10: .tls10
      case .TLSv11: .tls11
      case .TLSv12: .tls12
      case .TLSv13: .tls13
      }
    }
  }
}

extension ProxyTable {
  /// Reads Apple's proxy dictionary, whose keys are plain texts (Apple: `connectionProxyDictionary`, CFProxySupport).
  ///
  /// An empty dictionary switches all proxies off, also those of the environment.
  init(_ dictionary: [AnyHashable: Any]) {
    self.init()
    let socks = Self.proxy("SOCKS", scheme: "socks5h", in: dictionary)
    http = Self.proxy("HTTP", scheme: "http", in: dictionary) ?? socks
    https = Self.proxy("HTTPS", scheme: "http", in: dictionary) ?? socks
    exceptions = (dictionary["ExceptionsList"] as? [String] ?? []).map {
      // libcurl matches subdomains by the plain domain.
      $0.hasPrefix("*.") ? String($0.dropFirst(2)) : $0
    }
  }

  private static func proxy(_ kind: String, scheme: String, in dictionary: [AnyHashable: Any]) -> Proxy? {
    guard number(dictionary["\(kind)Enable"]) ?? 0 != 0,
      let host = dictionary["\(kind)Proxy"] as? String, !host.isEmpty
    else { return nil }
    let address = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    let port = number(dictionary["\(kind)Port"]).map { ":\($0)" } ?? ""
    return Proxy(
      url: "\(scheme)://\(address)\(port)",
      user: dictionary["\(kind)User"] as? String ?? dictionary["kCFProxyUsernameKey"] as? String,
      password: dictionary["\(kind)Password"] as? String ?? dictionary["kCFProxyPasswordKey"] as? String)
  }

  private static func number(_ value: Any?) -> Int? {
    switch value {
    case let number as Int: number
    case let flag as Bool: flag ? 1 : 0
    case let number as NSNumber: number.intValue
    default: nil
    }
  }
}
