import Foundation

/// What a response says about which version of the file it carries (RFC 9110 section 8.8), all verbatim.
///
/// Dates are kept as text because If-Range compares them by equality (RFC 9110 section 13.1.5): a date that was parsed
/// and written again would no longer be the same.
struct Validators: Sendable, Equatable {
  /// The entity tag, quotes and weakness prefix included.
  var entityTag: String?
  /// The Last-Modified date.
  var lastModified: String?
  /// The Date of the response that carried the two above.
  var date: String?

  /// Longer than any date; more is not a date and is not kept.
  private static let maximumDateByteCount = 256

  /// Takes all three, each of which may be missing.
  init(entityTag: String? = nil, lastModified: String? = nil, date: String? = nil) {
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.date = date
  }

  /// The text if it can be stored and sent back as a date field, whether or not it is a date.
  static func usableDate(_ text: String) -> String? {
    let date = FieldSyntax.trimmed(text)
    guard !date.isEmpty, date.utf8.count <= maximumDateByteCount else { return nil }
    return FieldSyntax.hasControlCharacters(date) ? nil : date
  }

  /// The entity tag, if there is a usable one.
  var tag: EntityTag? { entityTag.flatMap(EntityTag.init) }

  /// Whether there is neither an entity tag nor a Last-Modified date. Pages put up by a captive network have neither.
  var isEmpty: Bool { tag == nil && lastModified == nil }

  /// Whether the Last-Modified date identifies one version: the response was made at least one second later, so the
  /// file cannot have changed again within that second (RFC 9110 section 8.8.2.2).
  private var hasStrongDate: Bool {
    guard let modified = lastModified.flatMap(HTTPDate.parse), let sent = date.flatMap(HTTPDate.parse) else {
      return false
    }
    return sent.timeIntervalSince(modified) >= 1
  }

  /// The value of If-Range, or nil when none may be sent. RFC 9110 section 13.1.5 forbids a weak tag, and a date
  /// wherever a tag is held or the date is not strong.
  var ifRange: String? {
    if let tag { return tag.isWeak ? nil : tag.raw }
    return hasStrongDate ? lastModified : nil
  }

  /// Whether a partial file made under these validators may be continued at all. With a weak tag the request carries a
  /// plain Range, and the answer is checked in full instead.
  var allowsResume: Bool { tag != nil || hasStrongDate }

  /// Whether another response shows that the file is no longer the one these validators were taken from.
  ///
  /// A strong tag decides alone: equal tags mean equal bytes, whatever the date says. Otherwise every validator that
  /// both sides have must agree, and one that only one side has proves nothing.
  func contradicted(by other: Validators) -> Bool {
    if let tag, let otherTag = other.tag {
      if tag.isWeak {
        if !tag.weaklyMatches(otherTag) { return true }
      } else {
        return !tag.stronglyMatches(otherTag)
      }
    }
    guard let lastModified, let otherDate = other.lastModified else { return false }
    return !FieldSyntax.sameOctets(lastModified, otherDate)
  }
}
