import Foundation
import Testing

@testable import ResumableDownloads

/// Single field values: lengths, ranges, tags, dates.
@Suite("Field values", .timeLimit(.minutes(1)))
struct FieldValueTests {
  @Test(
    "Content-Length is one number, however often it is said",
    arguments: [
      ([], .absent), (["0"], .bytes(0)), (["1000000"], .bytes(1_000_000)), (["5", "5"], .bytes(5)),
      (["5, 5"], .bytes(5)), (["5,5", "5"], .bytes(5)), (["005"], .bytes(5)), (["5", "05"], .bytes(5)),
      (["9223372036854775807"], .bytes(.max)), (["9223372036854775808"], .invalid), (["5", "6"], .invalid),
      (["5, 6"], .invalid), (["5,"], .invalid), ([""], .invalid), (["-1"], .invalid), (["+1"], .invalid),
      (["1 0"], .invalid), (["0x10"], .invalid), (["1e3"], .invalid), (["5.0"], .invalid), (["٥"], .invalid),
      (["99999999999999999999999999999999"], .invalid),
    ] as [([String], ContentLength)])
  func contentLength(values: [String], expected: ContentLength) {
    #expect(ContentLength(values) == expected)
  }

  @Test(
    "Content-Range is read strictly",
    arguments: [
      ("bytes 0-99/100", .satisfied(first: 0, last: 99, total: 100)),
      ("BYTES 50-99/100", .satisfied(first: 50, last: 99, total: 100)),
      ("bytes 50-50/*", .satisfied(first: 50, last: 50, total: nil)),
      ("  bytes  0-0/1 ", .satisfied(first: 0, last: 0, total: 1)),
      ("bytes */100", .unsatisfied(total: 100)), ("bytes */0", .unsatisfied(total: 0)),
      (
        "bytes 9223372036854775805-9223372036854775806/9223372036854775807",
        .satisfied(first: .max - 2, last: .max - 1, total: .max)
      ),
      ("bytes 0-9223372036854775807/*", nil), ("bytes 0-9223372036854775808/*", nil),
      ("bytes 0-99/99999999999999999999", nil), ("bytes 99-0/100", nil), ("bytes 0-100/100", nil),
      ("bytes 0-99/0", nil), ("bytes */*", nil), ("bytes *", nil), ("bytes 0-99", nil), ("bytes 0-/100", nil),
      ("bytes -99/100", nil), ("bytes 0-99/", nil), ("bytes 0-99/100/100", nil), ("bytes 0-9-9/100", nil),
      ("bytes=0-99/100", nil), ("0-99/100", nil), ("items 0-99/100", nil), ("bytes +0-99/100", nil),
      ("bytes 0 - 99/100", nil), ("bytes 0-99 / 100", nil), ("bytes", nil), ("", nil), ("bytes 0-99/1\u{301}", nil),
    ] as [(String, ContentRange?)])
  func contentRange(text: String, expected: ContentRange?) {
    #expect(ContentRange(text) == expected)
  }

  @Test("Several Content-Range fields are invalid, even equal ones")
  func severalContentRanges() {
    #expect(ContentRangeField([]) == .absent)
    #expect(ContentRangeField(["bytes */9"]) == .valid(.unsatisfied(total: 9)))
    #expect(ContentRangeField(["bytes 0-1/2", "bytes 0-1/2"]) == .invalid)
    #expect(ContentRangeField(["bytes"]) == .invalid)
  }

  @Test(
    "An entity tag is kept verbatim",
    arguments: [
      ("\"a1\"", "\"a1\""), ("  W/\"a1\"\t", "W/\"a1\""), ("unquoted", "unquoted"), ("\"a\"b\"", "\"a\"b\""),
      ("\"\"", "\"\""), ("", nil), ("  ", nil), ("\"a\u{0}\"", nil), ("\"a\r\nX: y\"", nil), ("\"a\tb\"", nil),
      (String(repeating: "x", count: 4096), String(repeating: "x", count: 4096)),
      (String(repeating: "x", count: 4097), nil),
    ] as [(String, String?)])
  func entityTag(raw: String, expected: String?) {
    #expect(EntityTag(raw)?.raw == expected)
  }

  @Test(
    "Entity tags compare as the table in RFC 9110 section 8.8.3.2 says",
    arguments: [
      ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false), ("W/\"1\"", "\"1\"", false, true),
      ("\"1\"", "\"1\"", true, true), ("\"1\"", "1", false, false), ("w/\"1\"", "W/\"1\"", false, false),
      // Two spellings of one letter are different octets.
      ("\"\u{E9}\"", "\"e\u{301}\"", false, false),
    ] as [(String, String, Bool, Bool)])
  func entityTagComparison(one: String, other: String, strong: Bool, weak: Bool) throws {
    let (first, second) = (try #require(EntityTag(one)), try #require(EntityTag(other)))
    #expect(first.stronglyMatches(second) == strong)
    #expect(second.stronglyMatches(first) == strong)
    #expect(first.weaklyMatches(second) == weak)
    #expect(second.weaklyMatches(first) == weak)
  }

  @Test(
    "The three date formats are read, and nothing else",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799), ("Tuesday, 01-Jan-69 00:00:00 GMT", 3_124_224_000),
      ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Mon, 29 Feb 2023 12:00:00 GMT", nil),
      ("Thu, 29 Feb 1900 12:00:00 GMT", nil), ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
      ("Sun, 06 Nov 1994 08:49:37 UTC", nil), ("Sun, 06 Nov 1994 08:49:37 +0100", nil),
      ("Sun, 6 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 0000 08:49:37 GMT", nil),
      ("Sun, 06 nov 1994 08:49:37 GMT", nil), ("Foo, 06 Nov 1994 08:49:37 GMT", nil), ("1994-11-06", nil),
      ("Sun, 06 Nov 1994 08:49 GMT", nil), ("0", nil), ("", nil), (String(repeating: "Sun ", count: 20), nil),
    ] as [(String, Double?)])
  func date(text: String, expected: Double?) {
    #expect(HTTPDate.parse(text)?.timeIntervalSince1970 == expected)
  }

  @Test("Every day of four centuries has the date that the C library gives it, and back")
  func civilTime() throws {
    for day in 0..<146_097 {
      var seconds = day * 86_400 + day % 86_400
      var parts = tm()
      gmtime_r(&seconds, &parts)
      let expected = try #require(
        CivilTime(
          year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday),
          hour: Int(parts.tm_hour), minute: Int(parts.tm_min), second: Int(parts.tm_sec)))
      #expect(CivilTime(secondsSince1970: Int64(seconds)) == expected)
      #expect(expected.secondsSince1970 == Int64(seconds))
    }
    #expect(ArchiveDate("2024-02-29T23:59:59Z")?.date.formatted(.iso8601) == "2024-02-29T23:59:59Z")
  }

  @Test("Retry-After is seconds or a date")
  func retryAfter() {
    #expect(RetryAfter("120") == .seconds(120))
    #expect(RetryAfter("Sun, 06 Nov 1994 08:49:37 GMT") == .date(Date(timeIntervalSince1970: 784_111_777)))
    for garbage in ["-1", "1.5", "soon", "", "99999999999999999999", "120, 60"] { #expect(RetryAfter(garbage) == nil) }
  }
}
