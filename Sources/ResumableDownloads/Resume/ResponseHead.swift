internal import Foundation

/// The head of an answer: status and fields, read strictly where bytes are at stake.
struct ResponseHead: Sendable, Equatable {
  enum ContentLength: Sendable, Equatable { case absent, bytes(Int64), invalid }
  enum ContentRangeField: Sendable, Equatable { case absent, valid(ContentRange), invalid }
  enum RetryAfter: Sendable, Equatable { case seconds(Int64), date(Date) }

  /// The address that answered.
  var url: String
  var status: Int
  var version: String
  var fields: [HeaderField]

  /// Reads the lines without their breaks; `nil` when the first is no status line. Lines without a name are skipped.
  static func parse(statusLine: String, fieldLines: [String], url: String) -> ResponseHead? {
    let words = statusLine.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)
    guard words.count >= 2, words[0].hasPrefix("HTTP/"), words[1].utf8.count == 3,
      let status = StrictNumber.parse(words[1]), status >= 100
    else { return nil }
    let fields = fieldLines.compactMap { line -> HeaderField? in
      guard let colon = line.firstIndex(of: ":"), colon != line.startIndex, line.first != " ", line.first != "\t" else {
        return nil
      }
      return HeaderField(name: String(line[..<colon]), value: StrictNumber.trimmed(line[line.index(after: colon)...]))
    }
    return ResponseHead(url: url, status: Int(status), version: String(words[0]), fields: fields)
  }

  func values(_ name: String) -> [String] {
    fields.filter { $0.name.caseInsensitiveCompare(name) == .orderedSame }.map(\.value)
  }

  /// All values of a field, joined as RFC 9110 section 5.3 allows.
  func value(_ name: String) -> String? {
    let all = values(name)
    return all.isEmpty ? nil : all.joined(separator: ", ")
  }

  /// Equal duplicates count once; different ones are an attack or a fault (RFC 9110 section 8.6).
  var contentLength: ContentLength {
    let all = values("Content-Length").flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
    guard let first = all.first else { return .absent }
    let numbers = all.map { StrictNumber.parse(StrictNumber.trimmed($0)) }
    guard let number = StrictNumber.parse(StrictNumber.trimmed(first)), numbers.allSatisfy({ $0 == number }) else {
      return .invalid
    }
    return .bytes(number)
  }

  var contentRange: ContentRangeField {
    let all = values("Content-Range")
    guard let text = all.first else { return .absent }
    guard all.count == 1, let range = ContentRange(text) else { return .invalid }
    return .valid(range)
  }

  /// The coding of the body in lower case; `nil` for none and `identity`.
  var contentCoding: String? {
    let codings = values("Content-Encoding").flatMap { $0.split(separator: ",") }
      .map { StrictNumber.trimmed($0).lowercased() }.filter { !$0.isEmpty && $0 != "identity" }
    return codings.isEmpty ? nil : codings.joined(separator: ", ")
  }

  var isMultipartByteRanges: Bool {
    value("Content-Type")?.lowercased().hasPrefix("multipart/byteranges") ?? false
  }

  /// `Accept-Ranges: none` (RFC 9110 section 14.3). Its absence says nothing.
  var refusesRanges: Bool { value("Accept-Ranges")?.lowercased() == "none" }

  var validators: Validators {
    Validators(entityTag: values("ETag").first, lastModified: values("Last-Modified").first, date: values("Date").first)
  }

  var retryAfter: RetryAfter? {
    guard let text = values("Retry-After").first else { return nil }
    if let seconds = StrictNumber.parse(text) { return .seconds(seconds) }
    return HTTPDate.parse(text).map { .date($0) }
  }
}
