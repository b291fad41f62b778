import Foundation

/// Last-Modified as a date.
enum HTTPTime {
  /// Reads the preferred form (RFC 9110, section 5.6.7), `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func date(_ text: String?) -> Date? {
    guard let text else { return nil }
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.date(from: text)
  }
}
