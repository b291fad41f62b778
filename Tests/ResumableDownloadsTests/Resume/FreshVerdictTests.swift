import Foundation
import Testing

@testable import ResumableDownloads

/// One answer to a request for a whole file, and what it means.
struct FreshRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let head: ResponseHead
  let callerSentRange: Bool
  let method: String
  let verdict: FreshVerdict

  init(
    _ name: String, _ status: Int, _ fields: KeyValuePairs<String, String>, callerSentRange: Bool = false,
    method: String = "GET", _ verdict: FreshVerdict
  ) {
    testDescription = name
    head = .answer(status, fields.map { ($0.key, $0.value) })
    (self.callerSentRange, self.method, self.verdict) = (callerSentRange, method, verdict)
  }
}

/// The answers to a request without a Range of ours, row by row.
@Suite("Answers to a first request", .timeLimit(.minutes(1)))
struct FreshVerdictTests {
  @Test("The verdict follows the table", arguments: plain + other + ranges)
  func verdict(row: FreshRow) {
    let verdict = ResumeRules.freshVerdict(
      for: row.head, callerSentRange: row.callerSentRange, method: row.method)
    #expect(verdict == row.verdict)
  }

  /// 200, and what makes it resumable.
  static let plain = [
    FreshRow(
      "200 with length and tag", 200, ["Content-Length": "9", "ETag": "\"a\""],
      .accept(total: 9, resumable: true)),
    FreshRow(
      "200 in chunks with tag", 200, ["Transfer-Encoding": "chunked", "ETag": "\"a\""],
      .accept(total: nil, resumable: true)),
    FreshRow("200 with a weak tag", 200, ["ETag": "W/\"a\""], .accept(total: nil, resumable: true)),
    FreshRow(
      "200 with a strong date", 200,
      ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:38 GMT"],
      .accept(total: nil, resumable: true)),
    FreshRow(
      "200 with a date of this second", 200,
      ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"],
      .accept(total: nil, resumable: false)),
    FreshRow("200 without validators", 200, ["Content-Length": "9"], .accept(total: 9, resumable: false)),
    FreshRow(
      "200 that refuses ranges", 200, ["Content-Length": "9", "ETag": "\"a\"", "Accept-Ranges": "none"],
      .accept(total: 9, resumable: false)),
    FreshRow(
      "200 with a coding", 200, ["Content-Length": "9", "ETag": "\"a\"", "Content-Encoding": "GZIP"],
      .accept(total: nil, resumable: false)),
    FreshRow("200, empty", 200, ["Content-Length": "0"], .accept(total: 0, resumable: false)),
    FreshRow(
      "200 to POST", 200, ["Content-Length": "9", "ETag": "\"a\""], method: "POST",
      .accept(total: 9, resumable: false)),
    FreshRow(
      "200 to HEAD", 200, ["Content-Length": "9", "ETag": "\"a\""], method: "HEAD",
      .accept(total: 0, resumable: false)),
    FreshRow("200 with two lengths", 200, ["Content-Length": "9", "Content-Length": "8"], .refuse),
    FreshRow("200 with a negative length", 200, ["Content-Length": "-9"], .refuse),
  ]

  /// Other statuses.
  static let other = [
    FreshRow(
      "404, whose page is a file", 404, ["Content-Length": "9", "ETag": "\"a\""],
      .accept(total: 9, resumable: false)),
    FreshRow("500 without a length", 500, [:], .accept(total: nil, resumable: false)),
    FreshRow("204", 204, [:], .accept(total: 0, resumable: false)),
    FreshRow(
      "304 with the length of what is not sent", 304, ["Content-Length": "9"],
      .accept(total: 0, resumable: false)),
    FreshRow(
      "302 that is not followed", 302, ["Content-Length": "9"], .accept(total: 9, resumable: false)),
    FreshRow(
      "416 that names a length", 416, ["Content-Range": "bytes */9"],
      .accept(total: nil, resumable: false)),
    FreshRow("101", 101, [:], .refuse),
  ]

  /// Content-Range and 206.
  static let ranges = [
    FreshRow(
      "200 with a range that is everything", 200, ["Content-Range": "bytes 0-8/9", "ETag": "\"a\""],
      .accept(total: 9, resumable: true)),
    FreshRow("200 with a part", 200, ["Content-Range": "bytes 4-8/9", "ETag": "\"a\""], .refuse),
    FreshRow("200 with a part of unknown total", 200, ["Content-Range": "bytes 0-8/*", "ETag": "\"a\""], .refuse),
    FreshRow(
      "200 with a bad range, which means nothing", 200, ["Content-Range": "bytes 4-", "Content-Length": "9"],
      .accept(total: 9, resumable: false)),
    FreshRow("200 in several parts", 200, ["Content-Type": "multipart/byteranges"], .refuse),
    FreshRow(
      "206 with everything", 206, ["Content-Range": "bytes 0-8/9", "ETag": "\"a\""],
      .accept(total: 9, resumable: false)),
    FreshRow("206 with a part", 206, ["Content-Range": "bytes 0-7/9"], .refuse),
    FreshRow("206 without a range", 206, ["Content-Length": "9"], .refuse),
    FreshRow("206 with a wrong length", 206, ["Content-Range": "bytes 0-8/9", "Content-Length": "8"], .refuse),
    FreshRow(
      "206 in several parts", 206, ["Content-Type": "multipart/byteranges", "Content-Range": "bytes 0-8/9"], .refuse),
    FreshRow(
      "206 that the caller asked for", 206, ["Content-Range": "bytes 4-8/9", "Content-Length": "5", "ETag": "\"a\""],
      callerSentRange: true, .accept(total: 5, resumable: false)),
    FreshRow(
      "206 in several parts that the caller asked for", 206, ["Content-Type": "multipart/byteranges"],
      callerSentRange: true, .accept(total: nil, resumable: false)),
    FreshRow(
      "200 to a Range of the caller", 200, ["Content-Length": "9", "ETag": "\"a\""], callerSentRange: true,
      .accept(total: 9, resumable: false)),
  ]
}
