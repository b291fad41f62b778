import Foundation

/// The file name that a response suggests, made safe.
///
/// A server may suggest any text. What comes out is always one path component that is not hidden, not `.` or `..`,
/// holds nothing that could disturb a terminal or disguise the name, and fits in a folder with room for a suffix.
struct SuggestedFilename: Sendable, Equatable {
  /// The name when there is nothing to make one from.
  private static let fallback = "download"

  /// `NAME_MAX` less room for a counter, or for the ending and prefix of a partial file made from the name.
  static let maximumByteCount = 255 - 48

  /// Longer endings are taken for part of the name when it is cut.
  private static let maximumExtensionByteCount = 32

  /// Makes the name from Content-Disposition (RFC 6266): `filename*` first, then `filename`; else from the last
  /// component of the URL's path. A candidate of which nothing remains gives way to the next.
  static func make(contentDisposition: String?, urlString: String) -> String {
    let disposition = ContentDisposition(contentDisposition ?? "")
    for candidate in [disposition.extendedFilename, disposition.filename, lastPathComponent(of: urlString)] {
      if let name = candidate.flatMap(safeComponent) { return name }
    }
    return fallback
  }

  /// The safe form of any text, or nil when nothing of it remains.
  static func safeComponent(_ text: String) -> String? {
    let visible = String(String.UnicodeScalarView(text.unicodeScalars.filter { !isUnsafe($0) }))
    // Both separators, whatever the system of the server; bytes, since a Character can hide one behind an accent.
    let parts = visible.utf8.split { $0 == 0x2F || $0 == 0x5C }.map { trimmed(String(decoding: $0, as: UTF8.self)) }
    guard let last = parts.last(where: { !$0.isEmpty }) else { return nil }
    let rest = last.utf8.drop { $0 == 0x2E }
    guard !rest.isEmpty else { return nil }
    let isHidden = rest.count < last.utf8.count
    return shortened((isHidden ? "_" : "") + String(decoding: rest, as: UTF8.self))
  }

  /// The last component of a URL's path, percent-decoded once; as it stands where that gives no text. Query, fragment
  /// and host never become a name.
  private static func lastPathComponent(of urlString: String) -> String? {
    var rest = urlString.utf8.prefix { $0 != 0x3F && $0 != 0x23 }
    if let colon = rest.firstIndex(of: 0x3A), rest[colon...].starts(with: "://".utf8) {
      rest = rest[colon...].dropFirst(3).drop { $0 != 0x2F }
    }
    guard let last = rest.split(separator: 0x2F).last else { return nil }
    let raw = String(decoding: last, as: UTF8.self)
    return PercentEncoding.decode(raw).flatMap { String(validating: $0, as: UTF8.self) } ?? raw
  }

  /// Controls, line and paragraph separators, invisible spaces, and marks that change the direction of text:
  /// `photo<RLO>gpj.exe` is shown as `photoexe.jpg`. Joiners stay; some scripts and emoji need them.
  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F, 0x200B, 0x2028, 0x2029, 0x2060, 0xFEFF: true
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// The text without white space at either end.
  private static func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }

  /// The name within the limit, its ending kept, cut between characters.
  private static func shortened(_ name: String) -> String {
    guard name.utf8.count > maximumByteCount else { return name }
    let ending = pathExtension(name)
    let stem = String(decoding: name.utf8.dropLast(ending.utf8.count), as: UTF8.self)
    return trimmed(prefix(stem, maximumByteCount: maximumByteCount - ending.utf8.count)) + ending
  }

  /// The ending with its dot, or nothing if there is none of a reasonable length.
  private static func pathExtension(_ name: String) -> String {
    guard let dot = name.utf8.lastIndex(of: 0x2E) else { return "" }
    let ending = name.utf8[dot...]
    guard (2...maximumExtensionByteCount).contains(ending.count) else { return "" }
    return String(decoding: ending, as: UTF8.self)
  }

  /// As many whole characters as fit; where not even one does, as many scalars.
  private static func prefix(_ text: String, maximumByteCount: Int) -> String {
    var (result, size) = ("", 0)
    for character in text {
      size += character.utf8.count
      if size > maximumByteCount { break }
      result.append(character)
    }
    if !result.isEmpty { return result }
    var scalars = String.UnicodeScalarView()
    size = 0
    for scalar in text.unicodeScalars {
      size += UTF8.width(scalar)
      if size > maximumByteCount { break }
      scalars.append(scalar)
    }
    return String(scalars)
  }
}
