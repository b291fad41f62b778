import Foundation

/// The three date formats of HTTP (RFC 9110 section 5.6.7).
enum HTTPDate {
  /// Longer than any of the three.
  private static let maximumByteCount = 64
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let longWeekdays = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]

  /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`.
  ///
  /// Dates are case-sensitive and always in GMT. The name of the weekday must be one, but need not be the right one.
  /// - Returns: nil for anything else.
  static func parse(_ text: String) -> Date? {
    guard text.utf8.count <= maximumByteCount else { return nil }
    let words = FieldSyntax.trimmed(text).utf8.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
    switch words.count {
    case 6: return fixdate(words)
    case 4: return obsolete(words)
    case 5: return asctime(words)
    default: return nil
    }
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`
  private static func fixdate(_ words: [String]) -> Date? {
    guard weekdays.contains(where: { $0 + "," == words[0] }), words[5] == "GMT" else { return nil }
    return date(day: digits(words[1], 2...2), month: words[2], year: digits(words[3], 4...4), time: words[4])
  }

  /// `Sunday, 06-Nov-94 08:49:37 GMT`. Two-digit years from 70 on are read as 19xx, the rest as 20xx, as POSIX does:
  /// the rule of RFC 9110 needs a clock, and would differ only for dates of the future.
  private static func obsolete(_ words: [String]) -> Date? {
    guard longWeekdays.contains(where: { $0 + "," == words[0] }), words[3] == "GMT" else { return nil }
    let parts = FieldSyntax.pieces(words[1], separator: 0x2D)
    guard parts.count == 3, let year = digits(parts[2], 2...2) else { return nil }
    return date(day: digits(parts[0], 2...2), month: parts[1], year: year + (year < 70 ? 2000 : 1900), time: words[2])
  }

  /// `Sun Nov  6 08:49:37 1994`
  private static func asctime(_ words: [String]) -> Date? {
    guard weekdays.contains(words[0]) else { return nil }
    return date(day: digits(words[2], 1...2), month: words[1], year: digits(words[4], 4...4), time: words[3])
  }

  /// Puts the pieces together; nil when one is missing or out of range.
  private static func date(day: Int?, month: String, year: Int?, time: String) -> Date? {
    let clock = FieldSyntax.pieces(time, separator: 0x3A).map { digits($0, 2...2) }
    guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2] else { return nil }
    guard let day, let year, let month = months.firstIndex(of: month) else { return nil }
    return CivilTime(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)?.date
  }

  /// A number of exactly so many digits.
  private static func digits(_ text: String, _ count: ClosedRange<Int>) -> Int? {
    guard count.contains(text.utf8.count) else { return nil }
    return FieldSyntax.number(text).map(Int.init)
  }
}
