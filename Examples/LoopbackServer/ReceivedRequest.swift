public import Foundation

/// One request as it came in, byte for byte, with the parts that tests ask for.
public struct ReceivedRequest: Sendable {
  /// Position among all requests that the server received; the first is 1.
  public let number: Int
  /// Which connection it came on; the first is 1.
  public let connection: Int
  /// When its head was complete.
  public let arrival: ContinuousClock.Instant
  /// The method, for instance `GET`.
  public let method: String
  /// The request target exactly as sent, never decoded.
  public let target: String
  /// The version, for instance `HTTP/1.1`.
  public let version: String
  /// The field lines verbatim, in order, without their line ends.
  public let headerLines: [String]
  /// Names as sent and values without surrounding blanks, in order.
  public let fields: [(name: String, value: String)]
  /// The whole head verbatim, with the empty line that ends it.
  public let headBytes: Data
  /// The body; empty without `Content-Length`.
  public let body: Data

  /// The whole head as text, with the empty line that ends it.
  public var head: String { String(decoding: headBytes, as: UTF8.self) }

  /// The target up to its query.
  public var path: String { String(target.prefix { $0 != "?" }) }

  /// The value of the first field with that name; upper and lower case are the same.
  public func value(_ name: String) -> String? { values(name).first }

  /// The values of every field with that name, in order; upper and lower case are the same.
  public func values(_ name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  /// `N` if there is exactly one `Range` field and it reads `bytes=N-`.
  public var rangeStart: Int64? {
    let ranges = values("Range")
    guard ranges.count == 1, ranges[0].hasPrefix("bytes="), ranges[0].hasSuffix("-") else { return nil }
    let digits = ranges[0].dropFirst("bytes=".count).dropLast()
    return digits.allSatisfy(\.isASCIIDigit) ? Int64(digits) : nil
  }

  /// True if the client lets the connection live on after the answer (RFC 9112, section 9.3).
  var allowsReuse: Bool {
    let options = values("Connection").joined(separator: ",").lowercased()
    return version == "HTTP/1.1" ? !options.contains("close") : options.contains("keep-alive")
  }
}

extension Character {
  /// True for `0` to `9` only; `Int64("+5")` and digits of other scripts must not pass as a range.
  var isASCIIDigit: Bool { ("0"..."9").contains(self) && isASCII }
}
