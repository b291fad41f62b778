import Foundation
import TestSupport
import Testing

@testable import ResumableDownloads

extension SeededGenerator {
  /// The bytes with one to four of them changed, removed, repeated or inserted.
  mutating func mutation(of bytes: [UInt8]) -> [UInt8] {
    var result = bytes
    for _ in 0..<Int.random(in: 1...4, using: &self) where !result.isEmpty {
      let index = Int.random(in: 0..<result.count, using: &self)
      let length = min(Int.random(in: 1...8, using: &self), result.count - index)
      switch Int.random(in: 0..<6, using: &self) {
      case 0: result[index] = UInt8.random(in: 0...255, using: &self)
      case 1: result.removeSubrange(index..<(index + length))
      case 2: result.insert(contentsOf: result[index..<(index + length)], at: index)
      case 3: result.insert(Array("\"\\{}[],:/.-+%*;='\r\n\u{0}9".utf8).randomElement(using: &self) ?? 0, at: index)
      case 4: result.removeLast(result.count - index)
      default: result.insert(contentsOf: "99999999999999999999".utf8, at: index)
      }
    }
    return result
  }
}

extension ResponseHead {
  /// A head with the given fields, for tests.
  static func answer(_ status: Int, _ fields: [(String, String)], version: String = "HTTP/1.1") -> ResponseHead {
    ResponseHead(
      url: "https://example.com/file", status: status, version: version, reason: "",
      fields: fields.map { HeaderField(name: $0.0, value: $0.1) })
  }
}

extension HeaderField: CustomTestStringConvertible {
  public var testDescription: String { "\(name): \(value)" }
}
