import Foundation
import FoundationNetworking

/// What an answer says about the version of the whole file.
struct AnsweredVersion: Equatable, Sendable {
  var length: Int64?
  /// Verbatim.
  var entityTag: String?
  /// Verbatim.
  var lastModified: String?

  init(length: Int64? = nil, entityTag: String? = nil, lastModified: String? = nil) {
    (self.length, self.entityTag, self.lastModified) = (length, entityTag, lastModified)
  }

  /// Reads an answer about the whole file, or about a part of it that names the whole length. Any other answer, like
  /// one that refuses the method, says nothing.
  init(_ response: HTTPURLResponse) {
    guard [200, 206].contains(response.statusCode) else { return }
    length = Self.wholeLength(response)
    entityTag = response.value(forHTTPHeaderField: "ETag")
    lastModified = response.value(forHTTPHeaderField: "Last-Modified")
  }

  private static func wholeLength(_ response: HTTPURLResponse) -> Int64? {
    if response.statusCode == 206 {
      let range = response.value(forHTTPHeaderField: "Content-Range") ?? ""
      return range.split(separator: "/").last.flatMap { Int64($0) }
    }
    guard response.value(forHTTPHeaderField: "Content-Encoding") == nil else { return nil }
    return response.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
  }
}
