internal import Foundation

/// The three date formats of HTTP (RFC 9110 section 5.6.7), read without locale.
enum HTTPDate {
  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  static func parse(_ text: String) -> Date? {
    guard text.utf8.count <= 64 else { return nil }
    let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
    // IMF-fixdate and RFC 850: day-name day month year time GMT. asctime: day-name month day time year.
    if words.count == 6, let month = month(words[2]) {
      return date(day: words[1], month: month, year: words[3], time: words[4])
    }
    if words.count == 5, let month = month(words[1]) {
      return date(day: words[2], month: month, year: words[4], time: words[3])
    }
    return nil
  }

  private static func month(_ name: String) -> Int? {
    months.firstIndex(of: name.lowercased()).map { $0 + 1 }
  }

  private static func date(day: String, month: Int, year: String, time: String) -> Date? {
    let clock = time.split(separator: ":").map { StrictNumber.parse($0) }
    guard let day = StrictNumber.parse(day), (1...31).contains(day), var year = StrictNumber.parse(year),
      clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
      hour < 24, minute < 60, second <= 60
    else { return nil }
    if year < 70 { year += 2000 } else if year < 100 { year += 1900 }
    guard (1900...9999).contains(year) else { return nil }
    let seconds = days(year: year, month: Int64(month), day: day) * 86_400 + hour * 3600 + minute * 60 + second
    return Date(timeIntervalSince1970: TimeInterval(seconds))
  }

  /// Days since 1970 in the Gregorian calendar, counted in years that begin in March so that leap days come last.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
