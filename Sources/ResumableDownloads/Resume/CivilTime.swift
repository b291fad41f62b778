import Foundation

/// A date and time of day in UTC, checked field by field, without the formatters of Foundation: those depend on
/// locales, and what they accept is not bounded.
struct CivilTime: Sendable, Equatable {
  let year: Int
  let month: Int
  let day: Int
  let hour: Int
  let minute: Int
  let second: Int

  /// Nil unless each field is in its range, for a year of four digits. Second 60 is a leap second.
  init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
    guard (1...9999).contains(year), (1...12).contains(month) else { return nil }
    guard (1...Self.daysInMonth(month, year: year)).contains(day) else { return nil }
    guard (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second) else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
  }

  /// Seconds since 1970. Days are counted in a year that begins in March, which puts the leap day last.
  var secondsSince1970: Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let leapDays = shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400
    let days = shiftedYear * 365 + leapDays + dayOfYear - Self.daysBefore1970
    return Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
  }

  /// The same moment as a date.
  var date: Date { Date(timeIntervalSince1970: Double(secondsSince1970)) }

  /// Days from 1 March of the year 0 to 1 January 1970.
  private static let daysBefore1970 = 719_468

  /// The length of a month in the Gregorian calendar.
  private static func daysInMonth(_ month: Int, year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    default: 31
    }
  }
}

extension CivilTime {
  /// The last second that a four-digit year can express, 9999-12-31T23:59:59Z.
  static let latestSeconds: Int64 = 253_402_300_799

  /// The time so many seconds after the start of 1970; outside 1970 to 9999 it is moved to the nearer end.
  init(secondsSince1970 seconds: Int64) {
    let bounded = min(max(seconds, 0), Self.latestSeconds)
    let (days, rest) = (Int(bounded / 86_400) + Self.daysBefore1970, Int(bounded % 86_400))
    let era = days / 146_097
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    (hour, minute, second) = (rest / 3600, rest % 3600 / 60, rest % 60)
  }
}
