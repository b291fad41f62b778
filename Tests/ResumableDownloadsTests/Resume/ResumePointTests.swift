import Foundation
import Testing

@testable import ResumableDownloads

@Suite("Resume points", .timeLimit(.minutes(1)))
struct ResumePointTests {
  /// The request fields of one point.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let point: ResumePoint
    let fields: [HeaderField]

    init(_ name: String, offset: Int64, _ held: Validators, coding: String? = nil, _ fields: [(String, String)]) {
      testDescription = name
      point = ResumePoint(offset: offset, total: nil, validators: held, contentCoding: coding)
      self.fields = fields.map { HeaderField(name: $0.0, value: $0.1) }
    }
  }

  @Test(
    "The request asks for the rest only where an answer could be trusted",
    arguments: [
      Row("offset 0", offset: 0, Validators(entityTag: "\"a\""), []),
      Row("negative offset", offset: -1, Validators(entityTag: "\"a\""), []),
      Row(
        "strong tag", offset: 5_000_000_000, Validators(entityTag: "\"a\""),
        [("Range", "bytes=5000000000-"), ("If-Range", "\"a\"")]),
      Row("weak tag", offset: 5, Validators(entityTag: "W/\"a\""), [("Range", "bytes=5-")]),
      Row(
        "strong date", offset: 5,
        Validators(lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", date: "Sun, 06 Nov 1994 08:49:38 GMT"),
        [("Range", "bytes=5-"), ("If-Range", "Sun, 06 Nov 1994 08:49:37 GMT")]),
      Row("weak date", offset: 5, Validators(lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"), []),
      Row("nothing", offset: 5, Validators(), []),
      Row("coded", offset: 5, Validators(entityTag: "\"a\""), coding: "gzip", []),
    ])
  func requestFields(row: Row) {
    #expect(row.point.requestFields == row.fields)
  }

  @Test("Range and preconditions of the caller are not sent again")
  func sanitizedFields() {
    let kept = [HeaderField(name: "X-Token", value: "1"), HeaderField(name: "Accept", value: "*/*")]
    let dropped = ["Range", "if-range", "If-Match", "IF-NONE-MATCH", "If-Modified-Since", "If-Unmodified-Since"]
      .map { HeaderField(name: $0, value: "x") }
    #expect(ResumeRules.sanitizedRequestFields(kept + dropped) == kept)
  }
}
