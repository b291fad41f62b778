import Foundation
import Testing

@testable import ResumableDownloads

private let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
private let later = "Mon, 07 Nov 1994 08:49:37 GMT"

/// 400 of 1000 bytes are on disk, unless a row says otherwise.
private let strong = ResumePoint(
  offset: 400, total: 1000, validators: Validators(entityTag: "\"a\"", lastModified: modified, date: later),
  contentCoding: nil)
private let weak = changed(strong) { $0.validators.entityTag = "W/\"a\"" }
private let dated = changed(strong) { $0.validators.entityTag = nil }
private let unknownTotal = changed(strong) { $0.total = nil }

private func changed(_ point: ResumePoint, _ change: (inout ResumePoint) -> Void) -> ResumePoint {
  var copy = point
  change(&copy)
  return copy
}

/// One answer and what it means.
struct VerdictRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let point: ResumePoint
  let head: ResponseHead
  let verdict: ResumeVerdict

  init(
    _ name: String, _ point: ResumePoint, _ status: Int, _ fields: KeyValuePairs<String, String>,
    _ verdict: ResumeVerdict
  ) {
    testDescription = name
    self.point = point
    head = .answer(status, fields.map { ($0.key, $0.value) })
    self.verdict = verdict
  }
}

/// The answers to a request for the rest of a file, row by row.
@Suite("Answers to a resume request", .timeLimit(.minutes(1)))
struct ResumeRulesTests {
  @Test(
    "The verdict follows the table", arguments: appended + cutBack + shape + versions + whole + unsatisfied + others)
  func verdict(row: VerdictRow) {
    #expect(ResumeRules.verdict(for: row.head, asked: row.point) == row.verdict)
  }

  /// Parts that continue the file exactly.
  static let appended = [
    VerdictRow(
      "206, the rest", strong, 206,
      ["Content-Range": "bytes 400-999/1000", "Content-Length": "600", "ETag": "\"a\""],
      .append(at: 400, end: 1000, total: 1000)),
    VerdictRow(
      "206, the rest, in chunks", strong, 206,
      ["Content-Range": "bytes 400-999/1000", "Transfer-Encoding": "chunked", "ETag": "\"a\""],
      .append(at: 400, end: 1000, total: 1000)),
    VerdictRow(
      "206 without validators, If-Range was sent", strong, 206, ["Content-Range": "bytes 400-999/1000"],
      .append(at: 400, end: 1000, total: 1000)),
    VerdictRow(
      "206 that ends early", strong, 206, ["Content-Range": "bytes 400-499/1000", "Content-Length": "100"],
      .append(at: 400, end: 500, total: 1000)),
    VerdictRow(
      "206 with one byte", strong, 206, ["Content-Range": "bytes 400-400/1000"],
      .append(at: 400, end: 401, total: 1000)),
    VerdictRow(
      "206 that tells the total for the first time", unknownTotal, 206, ["Content-Range": "bytes 400-999/1000"],
      .append(at: 400, end: 1000, total: 1000)),
    VerdictRow(
      "206 with total *, recorded total", strong, 206, ["Content-Range": "bytes 400-999/*"],
      .append(at: 400, end: 1000, total: 1000)),
    VerdictRow(
      "206 with total *, no recorded total", unknownTotal, 206, ["Content-Range": "bytes 400-999/*"],
      .append(at: 400, end: 1000, total: nil)),
    VerdictRow(
      "206 that names identity as its coding", strong, 206,
      ["Content-Range": "bytes 400-999/1000", "Content-Encoding": "identity"],
      .append(at: 400, end: 1000, total: 1000)),
    VerdictRow(
      "206 beyond four GiB", changed(strong) { ($0.offset, $0.total) = (5_000_000_000, 5_000_000_100) }, 206,
      ["Content-Range": "bytes 5000000000-5000000099/5000000100", "Content-Length": "100"],
      .append(at: 5_000_000_000, end: 5_000_000_100, total: 5_000_000_100)),
  ]

  /// Parts that start elsewhere.
  static let cutBack = [
    VerdictRow(
      "206 that starts early", strong, 206, ["Content-Range": "bytes 256-999/1000", "ETag": "\"a\""],
      .append(at: 256, end: 1000, total: 1000)),
    VerdictRow(
      "206 from byte 0 that is not all", strong, 206, ["Content-Range": "bytes 0-511/1000"],
      .append(at: 0, end: 512, total: 1000)),
    VerdictRow(
      "206 that starts and ends before the offset", strong, 206, ["Content-Range": "bytes 0-399/1000"], .askAgain),
    VerdictRow("206 that starts late", strong, 206, ["Content-Range": "bytes 401-999/1000"], .askAgain),
    VerdictRow(
      "206 with everything", strong, 206, ["Content-Range": "bytes 0-999/1000", "Content-Length": "1000"],
      .restart(total: 1000)),
    VerdictRow(
      "206 with everything of another version", strong, 206, ["Content-Range": "bytes 0-299/300", "ETag": "\"b\""],
      .restart(total: 300)),
    VerdictRow(
      "206 with everything, nothing held", changed(strong) { $0.validators = Validators() }, 206,
      ["Content-Range": "bytes 0-999/1000"], .restart(total: 1000)),
  ]

  /// Parts whose shape is wrong.
  static let shape = [
    VerdictRow("206 without Content-Range", strong, 206, ["Content-Length": "600"], .askAgain),
    VerdictRow("206 with a bad Content-Range", strong, 206, ["Content-Range": "bytes 400-999"], .askAgain),
    VerdictRow(
      "206 with two Content-Ranges", strong, 206,
      ["Content-Range": "bytes 400-999/1000", "Content-Range": "bytes 400-999/1000"], .askAgain),
    VerdictRow("206 with an unsatisfied range", strong, 206, ["Content-Range": "bytes */1000"], .askAgain),
    VerdictRow(
      "206 in several parts", strong, 206,
      ["Content-Type": "multipart/byteranges; boundary=x", "Content-Range": "bytes 400-999/1000"], .askAgain),
    VerdictRow(
      "206 with a length that is not its range's", strong, 206,
      ["Content-Range": "bytes 400-999/1000", "Content-Length": "1000"], .askAgain),
    VerdictRow(
      "206 with two lengths", strong, 206,
      ["Content-Range": "bytes 400-999/1000", "Content-Length": "600", "Content-Length": "601"], .askAgain),
    VerdictRow("206 with another total", strong, 206, ["Content-Range": "bytes 400-998/999"], .askAgain),
    VerdictRow("206 with total * that goes too far", strong, 206, ["Content-Range": "bytes 400-1000/*"], .askAgain),
    VerdictRow(
      "206 with a coding", strong, 206, ["Content-Range": "bytes 400-999/1000", "Content-Encoding": "gzip"], .askAgain),
    VerdictRow(
      "206 with everything, coded", strong, 206,
      ["Content-Range": "bytes 0-999/1000", "Content-Encoding": "gzip"], .askAgain),
    VerdictRow(
      "206 for a record of decoded bytes", changed(strong) { $0.contentCoding = "gzip" }, 206,
      ["Content-Range": "bytes 400-999/1000"], .askAgain),
    VerdictRow(
      "206 of a size that overflows", unknownTotal, 206, ["Content-Range": "bytes 400-9223372036854775807/*"],
      .askAgain),
  ]

  /// Parts that may belong to another version.
  static let versions = [
    VerdictRow(
      "206 with another tag", strong, 206, ["Content-Range": "bytes 400-999/1000", "ETag": "\"b\""], .askAgain),
    VerdictRow(
      "206 with the tag turned weak", strong, 206, ["Content-Range": "bytes 400-999/1000", "ETag": "W/\"a\""],
      .askAgain),
    VerdictRow(
      "206 with the strong tag and another date", strong, 206,
      ["Content-Range": "bytes 400-999/1000", "ETag": "\"a\"", "Last-Modified": later],
      .append(at: 400, end: 1000, total: 1000)),
    VerdictRow(
      "206 without a tag and with another date", strong, 206,
      ["Content-Range": "bytes 400-999/1000", "Last-Modified": later], .askAgain),
    VerdictRow(
      "206, date held, equal date", dated, 206,
      ["Content-Range": "bytes 400-999/1000", "Last-Modified": modified, "ETag": "\"new\""],
      .append(at: 400, end: 1000, total: 1000)),
    VerdictRow(
      "206, date held, no date", dated, 206, ["Content-Range": "bytes 400-999/1000"],
      .append(at: 400, end: 1000, total: 1000)),
    VerdictRow(
      "206, date held, other date", dated, 206, ["Content-Range": "bytes 400-999/1000", "Last-Modified": later],
      .askAgain),
    VerdictRow(
      "206, date held that is not strong", changed(dated) { $0.validators.date = modified }, 206,
      ["Content-Range": "bytes 400-999/1000", "Last-Modified": modified], .askAgain),
    VerdictRow(
      "206, weak tag held, all agree", weak, 206,
      ["Content-Range": "bytes 400-999/1000", "ETag": "W/\"a\"", "Last-Modified": modified],
      .append(at: 400, end: 1000, total: 1000)),
    VerdictRow(
      "206, weak tag held, no tag", weak, 206, ["Content-Range": "bytes 400-999/1000", "Last-Modified": modified],
      .askAgain),
    VerdictRow(
      "206, weak tag held, no date", weak, 206, ["Content-Range": "bytes 400-999/1000", "ETag": "W/\"a\""], .askAgain),
    VerdictRow(
      "206, weak tag held, no date on record either", changed(weak) { $0.validators.lastModified = nil }, 206,
      ["Content-Range": "bytes 400-999/1000", "ETag": "W/\"a\""], .append(at: 400, end: 1000, total: 1000)),
    VerdictRow(
      "206, weak tag held, total *", weak, 206,
      ["Content-Range": "bytes 400-999/*", "ETag": "W/\"a\"", "Last-Modified": modified], .askAgain),
    VerdictRow(
      "206, weak tag held, no total on record", changed(weak) { $0.total = nil }, 206,
      ["Content-Range": "bytes 400-999/1000", "ETag": "W/\"a\"", "Last-Modified": modified], .askAgain),
    VerdictRow(
      "206, nothing held, but a tag and the recorded total", changed(strong) { $0.validators = Validators() }, 206,
      ["Content-Range": "bytes 400-999/1000", "ETag": "\"a\""], .askAgain),
    VerdictRow(
      "206, date held that is not strong, and a new tag", changed(dated) { $0.validators.date = modified }, 206,
      ["Content-Range": "bytes 400-999/1000", "Last-Modified": modified, "ETag": "\"a\""], .askAgain),
    VerdictRow(
      "206, nothing held", changed(strong) { $0.validators = Validators() }, 206,
      ["Content-Range": "bytes 400-999/1000"], .askAgain),
  ]

  /// 200.
  static let whole = [
    VerdictRow(
      "200 with the same tag", strong, 200, ["Content-Length": "1000", "ETag": "\"a\""], .restart(total: 1000)),
    VerdictRow("200 with another tag", strong, 200, ["Content-Length": "300", "ETag": "\"b\""], .restart(total: 300)),
    VerdictRow("200 with a date only", strong, 200, ["Last-Modified": later], .restart(total: nil)),
    VerdictRow("200 with only the recorded length", strong, 200, ["Content-Length": "1000"], .restart(total: 1000)),
    VerdictRow("200 with neither", strong, 200, ["Content-Length": "900", "Content-Type": "text/html"], .refuse),
    VerdictRow("200 without anything", strong, 200, [:], .refuse),
    VerdictRow("200 with neither, no total on record", unknownTotal, 200, ["Content-Length": "900"], .refuse),
    VerdictRow(
      "200 with two lengths", strong, 200, ["Content-Length": "1000", "Content-Length": "9", "ETag": "\"a\""], .refuse),
    VerdictRow(
      "200 with a coding", strong, 200, ["Content-Length": "70", "Content-Encoding": "gzip", "ETag": "\"a-gz\""],
      .restart(total: nil)),
    VerdictRow("200 with a coding and nothing else", strong, 200, ["Content-Encoding": "gzip"], .refuse),
    VerdictRow(
      "200 in several parts", strong, 200, ["Content-Type": "multipart/byteranges; boundary=x", "ETag": "\"a\""],
      .refuse),
    VerdictRow(
      "200 with a range that is everything", strong, 200, ["Content-Range": "bytes 0-999/1000", "ETag": "\"a\""],
      .restart(total: 1000)),
    VerdictRow(
      "200 with a range that continues the file", strong, 200,
      ["Content-Range": "bytes 400-999/1000", "Content-Length": "600", "ETag": "\"a\""],
      .append(at: 400, end: 1000, total: 1000)),
    VerdictRow(
      "200 with such a range but no tag", strong, 200,
      ["Content-Range": "bytes 400-999/1000", "Last-Modified": modified],
      .refuse),
    VerdictRow(
      "200 with such a range and another tag", strong, 200,
      ["Content-Range": "bytes 400-999/1000", "ETag": "\"b\""], .refuse),
    VerdictRow(
      "200 with such a range, weak tag", weak, 200,
      ["Content-Range": "bytes 400-999/1000", "ETag": "W/\"a\"", "Last-Modified": modified], .refuse),
    VerdictRow(
      "200 with such a range, no total on record", unknownTotal, 200,
      ["Content-Range": "bytes 400-999/1000", "ETag": "\"a\""], .refuse),
    VerdictRow(
      "200 with another range", strong, 200, ["Content-Range": "bytes 300-999/1000", "ETag": "\"a\""], .refuse),
    VerdictRow(
      "200 with a range and the length of everything", strong, 200,
      ["Content-Range": "bytes 400-999/1000", "Content-Length": "1000", "ETag": "\"a\""], .askAgain),
    VerdictRow(
      "200 with a bad range", strong, 200, ["Content-Range": "bytes 400-", "ETag": "\"a\""], .askAgain),
    VerdictRow("200 with a bad range and nothing else", strong, 200, ["Content-Range": "bytes 400-"], .refuse),
    VerdictRow(
      "200 with an unsatisfied range, which means nothing", strong, 200,
      ["Content-Range": "bytes */1000", "ETag": "\"a\""], .restart(total: nil)),
  ]

  /// 416, with everything on disk unless a row says otherwise.
  static let unsatisfied = [
    VerdictRow(
      "416 at the end, total unknown", changed(unknownTotal) { $0.offset = 1000 }, 416,
      ["Content-Range": "bytes */1000"], .complete),
    VerdictRow(
      "416 at the end, total known", changed(strong) { $0.offset = 1000 }, 416,
      ["Content-Range": "bytes */1000", "ETag": "\"a\""], .complete),
    VerdictRow(
      "416 at the end, another tag", changed(unknownTotal) { $0.offset = 1000 }, 416,
      ["Content-Range": "bytes */1000", "ETag": "\"b\""], .askAgain),
    VerdictRow(
      "416 at the end, weak tag, total unknown, no tag",
      changed(weak) { ($0.offset, $0.total) = (1000, nil) }, 416, ["Content-Range": "bytes */1000"], .askAgain),
    VerdictRow(
      "416 at the end, weak tag, total unknown, same tag",
      changed(weak) { ($0.offset, $0.total) = (1000, nil) }, 416,
      ["Content-Range": "bytes */1000", "ETag": "W/\"a\""], .complete),
    VerdictRow("416 of a shorter file", strong, 416, ["Content-Range": "bytes */300"], .askAgain),
    VerdictRow("416 of the recorded length, not reached", strong, 416, ["Content-Range": "bytes */1000"], .askAgain),
    VerdictRow("416 at the offset, recorded total larger", strong, 416, ["Content-Range": "bytes */400"], .askAgain),
    VerdictRow(
      "416 without Content-Range", changed(unknownTotal) { $0.offset = 1000 }, 416, ["ETag": "\"a\""], .askAgain),
    VerdictRow(
      "416 with a satisfied range", changed(unknownTotal) { $0.offset = 1000 }, 416,
      ["Content-Range": "bytes 0-999/1000"], .askAgain),
    VerdictRow(
      "416 to a request without Range", changed(unknownTotal) { $0.offset = 0 }, 416, ["Content-Range": "bytes */0"],
      .askAgain),
  ]

  /// Every other status.
  static let others =
    [VerdictRow("412", strong, 412, [:], .askAgain)]
    + [100, 201, 204, 205, 207, 300, 302, 304, 307, 400, 401, 403, 404, 408, 429, 500, 503, 599, 999].map {
      VerdictRow("\($0)", strong, $0, ["Content-Range": "bytes 400-999/1000", "ETag": "\"a\""], .refuse)
    }
}
