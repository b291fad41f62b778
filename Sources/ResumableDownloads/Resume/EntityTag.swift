import Foundation

/// An entity tag (RFC 9110 section 8.8.3), kept exactly as the server spelled it.
///
/// A tag without quotes is not valid, but servers send such tags and recognise them when they come back, so they are
/// accepted and replayed verbatim.
struct EntityTag: Sendable, Equatable {
  /// The tag with its quotes and, if weak, its `W/`.
  let raw: String

  /// No real tag comes near this length; a longer one would only burden every request and archive.
  static let maximumByteCount = 4096

  /// Takes a field value. Nil when it is empty, too long, or holds control characters, which could not be sent back.
  init?(_ raw: String) {
    let text = FieldSyntax.trimmed(raw)
    guard !text.isEmpty, text.utf8.count <= Self.maximumByteCount else { return nil }
    guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
    self.raw = text
  }

  /// Whether the tag promises only equal meaning, not equal bytes. The prefix is case-sensitive.
  var isWeak: Bool { raw.utf8.starts(with: "W/".utf8) }

  /// Strong comparison (RFC 9110 section 8.8.3.2): neither is weak, and both are the same octets. Only this allows
  /// parts of two responses to be joined.
  func stronglyMatches(_ other: EntityTag) -> Bool {
    !isWeak && !other.isWeak && FieldSyntax.sameOctets(raw, other.raw)
  }

  /// Weak comparison (RFC 9110 section 8.8.3.2): the same octets apart from the weakness prefix.
  func weaklyMatches(_ other: EntityTag) -> Bool {
    opaque.elementsEqual(other.opaque)
  }

  /// The tag without its weakness prefix.
  private var opaque: Substring.UTF8View { raw.utf8.dropFirst(isWeak ? 2 : 0) }
}
