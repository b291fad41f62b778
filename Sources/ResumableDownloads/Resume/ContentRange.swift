import Foundation

/// A valid Content-Range in bytes (RFC 9110 section 14.4).
///
/// Every value satisfies `0 <= first <= last < Int64.max` and `last < total`, so `last - first + 1` cannot overflow.
enum ContentRange: Sendable, Equatable {
  /// `bytes first-last/total`; the total is nil for `*`. Both ends belong to the range.
  case satisfied(first: Int64, last: Int64, total: Int64?)
  /// `bytes */total`: no part could be sent, and the file has this length.
  case unsatisfied(total: Int64)

  /// Reads a field value. Nil when anything is out of place, since RFC 9110 section 14.4 forbids combining a part whose
  /// range is invalid.
  init?(_ text: String) {
    let words = FieldSyntax.trimmed(text).utf8.split(separator: 0x20, maxSplits: 1)
      .map { FieldSyntax.trimmed(String(decoding: $0, as: UTF8.self)) }
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let halves = words[1].utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard halves.count == 2 else { return nil }
    let total = FieldSyntax.number(halves[1])
    guard total != nil || halves[1] == "*" else { return nil }
    self.init(range: halves[0], total: total)
  }

  /// Reads what stands before the slash.
  private init?(range: String, total: Int64?) {
    if range == "*" {
      guard let total else { return nil }
      self = .unsatisfied(total: total)
      return
    }
    let ends = range.utf8.split(separator: 0x2D, omittingEmptySubsequences: false)
      .map { FieldSyntax.number(String(decoding: $0, as: UTF8.self)) }
    guard ends.count == 2, let first = ends[0], let last = ends[1] else { return nil }
    guard first <= last, last < total ?? .max else { return nil }
    self = .satisfied(first: first, last: last, total: total)
  }
}

/// What the Content-Range fields of a response say.
enum ContentRangeField: Sendable, Equatable {
  /// There is none.
  case absent
  /// There is one, and it is well formed.
  case valid(ContentRange)
  /// It is malformed or not in bytes, or there are several.
  case invalid

  /// Reads all values of the field.
  init(_ values: [String]) {
    guard let first = values.first else {
      self = .absent
      return
    }
    guard values.count == 1, let range = ContentRange(first) else {
      self = .invalid
      return
    }
    self = .valid(range)
  }
}

/// The part of the file that a response says it carries.
struct ByteSlice: Sendable, Equatable {
  /// The position of the first byte.
  let first: Int64
  /// One past the position of the last byte.
  let end: Int64
  /// The length of the whole file, if the response knows it.
  let total: Int64?

  /// Whether the part is all there is.
  var isWhole: Bool { first == 0 && end == total }
}

extension ResponseHead {
  /// The part this response carries; nil when it names none, or when its length and its range disagree.
  var slice: ByteSlice? {
    guard case .valid(.satisfied(let first, let last, let total)) = contentRange else { return nil }
    let slice = ByteSlice(first: first, end: last + 1, total: total)
    switch contentLength {
    case .absent: return slice
    case .bytes(let count): return count == slice.end - slice.first ? slice : nil
    case .invalid: return nil
    }
  }
}
