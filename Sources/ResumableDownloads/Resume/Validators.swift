internal import Foundation

/// An entity tag, kept as the server wrote it, without quotes too (RFC 9110 section 8.8.3).
struct EntityTag: Sendable, Equatable {
  let raw: String

  /// `nil` for an empty tag and one with control characters, which could not be sent back.
  init?(_ raw: String) {
    let text = StrictNumber.trimmed(raw)
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), text.utf8.count <= 8192 else { return nil }
    self.raw = text
  }

  var isWeak: Bool { raw.hasPrefix("W/") }
  private var opaque: Substring { isWeak ? raw.dropFirst(2) : Substring(raw) }

  /// Both strong and equal byte for byte (section 8.8.3.2).
  func stronglyMatches(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && raw.utf8.elementsEqual(other.raw.utf8) }

  /// Equal but for the mark of weakness.
  func weaklyMatches(_ other: EntityTag) -> Bool { opaque.utf8.elementsEqual(other.opaque.utf8) }
}

/// What tells two versions of a resource apart, verbatim.
struct Validators: Sendable, Equatable {
  var entityTag: String?
  var lastModified: String?
  /// The answer's own `Date`, which decides whether `lastModified` is strong.
  var date: String?

  var tag: EntityTag? { entityTag.flatMap(EntityTag.init) }
  var isEmpty: Bool { tag == nil && lastModified == nil }

  /// A date proves a version only when the answer was made at least a second later (RFC 9110 section 8.8.2.2).
  var hasStrongDate: Bool {
    guard let lastModified, let date, let changed = HTTPDate.parse(lastModified), let made = HTTPDate.parse(date) else {
      return false
    }
    return made.timeIntervalSince(changed) >= 1
  }

  /// The value of `If-Range` (section 13.1.5): a strong tag; the date only when there is no tag and the date is strong.
  var ifRange: String? {
    if let tag { return tag.isWeak ? nil : tag.raw }
    return hasStrongDate ? lastModified : nil
  }

  /// Whether a later answer can be proven to continue this one.
  var allowsResume: Bool { tag != nil || hasStrongDate }

  /// Whether the other answer is of another version. What it does not say contradicts nothing.
  func contradicted(by other: Validators) -> Bool {
    if let tag, let theirs = other.tag {
      return tag.isWeak ? !tag.weaklyMatches(theirs) : !tag.stronglyMatches(theirs)
    }
    if tag == nil, let lastModified, let theirs = other.lastModified { return lastModified != theirs }
    return false
  }
}
