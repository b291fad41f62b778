/// A `Content-Range` header (RFC 9110 section 14.4), read strictly: bytes of a file depend on it.
enum ContentRange: Sendable, Equatable {
  /// `bytes first-last/total`; total is `nil` for `*`.
  case satisfied(first: Int64, last: Int64, total: Int64?)
  /// `bytes */total`, as in a 416.
  case unsatisfied(total: Int64)

  init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
    let sides = StrictNumber.trimmed(parts[1]).split(separator: "/", omittingEmptySubsequences: false)
    guard sides.count == 2 else { return nil }
    let total = StrictNumber.parse(sides[1])
    if sides[0] == "*" {
      guard let total else { return nil }
      self = .unsatisfied(total: total)
      return
    }
    let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = StrictNumber.parse(ends[0]), let last = StrictNumber.parse(ends[1]),
      first <= last, last < .max
    else { return nil }
    if sides[1] != "*" {
      guard let total, last < total else { return nil }
    }
    self = .satisfied(first: first, last: last, total: total)
  }
}
