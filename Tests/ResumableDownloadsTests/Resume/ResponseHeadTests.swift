import Foundation
import TestSupport
import Testing

@testable import ResumableDownloads

@Suite("Response heads", .timeLimit(.minutes(1)))
struct ResponseHeadTests {
  @Test(
    "The status line is read strictly",
    arguments: [
      ("HTTP/1.1 200 OK", "HTTP/1.1", 200, "OK"), ("HTTP/1.0 404 Not Found\r\n", "HTTP/1.0", 404, "Not Found"),
      ("HTTP/2 206 \r\n", "HTTP/2", 206, ""), ("HTTP/3 206", "HTTP/3", 206, ""),
      ("HTTP/1.1 200 Très bien", "HTTP/1.1", 200, "Très bien"),
    ])
  func goodStatusLine(line: String, version: String, status: Int, reason: String) {
    let head = ResponseHead.parse(statusLine: line, fieldLines: [], url: "https://h/")
    #expect(head == ResponseHead(url: "https://h/", status: status, version: version, reason: reason, fields: []))
  }

  @Test(
    "Anything else is no status line",
    arguments: [
      "", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000 OK", "HTTP/1.1 099 OK", "HTTP/1.1  200 OK",
      "HTTP/1.1 2x0 OK", "HTTP/1.1 +20 OK", "http/1.1 200 OK", "HTTP/11 200 OK", "HTTP/1.1.1 200 OK", "HTTP/ 200 OK",
      "HTTP/1. 200 OK", " HTTP/1.1 200 OK", "ICY 200 OK", "HTTP/1.1 200 O\u{0}K", "HTTP/1.1 200 OK\r\nETag: x",
    ])
  func badStatusLine(line: String) {
    #expect(ResponseHead.parse(statusLine: line, fieldLines: [], url: "") == nil)
  }

  @Test("Lines that are not fields are left out, and continuations join their field")
  func fieldLines() throws {
    let lines = [
      " stray continuation\r\n", "ETag:  \"a1\" \r\n", "Content-Length : 5\r\n", "no colon\r\n", ": empty name\r\n",
      "X-Split: a\rb\r\n", "X-Zero: a\u{0}b\r\n", "Content-Range: bytes\r\n", "\t0-4/5\r\n", "Empty:\r\n", "\r\n",
    ]
    let head = try #require(ResponseHead.parse(statusLine: "HTTP/1.1 206 OK", fieldLines: lines, url: ""))
    #expect(
      head.fields == [
        HeaderField(name: "ETag", value: "\"a1\""), HeaderField(name: "Content-Range", value: "bytes 0-4/5"),
        HeaderField(name: "Empty", value: ""),
      ])
    #expect(head.contentRange == .valid(.satisfied(first: 0, last: 4, total: 5)))
    #expect(head.contentLength == .absent)
  }

  @Test("A folded length becomes invalid instead of shorter")
  func foldedLength() {
    let head = ResponseHead.parse(
      statusLine: "HTTP/1.1 200 OK", fieldLines: ["Content-Length: 5", " 0"], url: "")
    #expect(head?.contentLength == .invalid)
  }

  @Test("A head beyond the limits is refused as a whole")
  func limits() {
    let many = [String](repeating: "A: b", count: ResponseHead.maximumFieldCount + 1)
    #expect(ResponseHead.parse(statusLine: "HTTP/1.1 200 OK", fieldLines: many, url: "") == nil)
    let long = ["A: " + String(repeating: "x", count: ResponseHead.maximumByteCount)]
    #expect(ResponseHead.parse(statusLine: "HTTP/1.1 200 OK", fieldLines: long, url: "") == nil)
  }

  @Test("Names compare without case, and repeated values are joined")
  func values() {
    let head = ResponseHead.answer(200, [("vary", "a"), ("VARY", "b"), ("Vary", "a")])
    #expect(head.values("Vary") == ["a", "b", "a"])
    #expect(head.value("vArY") == "a, b, a")
    #expect(head.distinctValue("Vary") == "a, b")
    #expect(head.value("Age") == nil)
  }

  @Test("A transfer coding overrides the length in HTTP/1, and only there")
  func transferCoding() {
    let fields = [("Transfer-Encoding", "chunked"), ("Content-Length", "5")]
    #expect(ResponseHead.answer(200, fields).contentLength == .absent)
    #expect(ResponseHead.answer(200, fields, version: "HTTP/2").contentLength == .bytes(5))
    let identity = [("Transfer-Encoding", "identity"), ("Content-Length", "5")]
    #expect(ResponseHead.answer(200, identity).contentLength == .bytes(5))
  }

  @Test(
    "The content coding is in lower case, and identity is none",
    arguments: [
      ([], nil), (["identity"], nil), (["", "Identity"], nil), (["GZIP"], "gzip"), (["identity, gzip"], "gzip"),
      (["gzip", "br"], "gzip, br"),
    ] as [([String], String?)])
  func contentCoding(values: [String], expected: String?) {
    #expect(ResponseHead.answer(200, values.map { ("Content-Encoding", $0) }).contentCoding == expected)
  }

  @Test("Multipart bodies and refusals of ranges are recognised")
  func flags() {
    #expect(ResponseHead.answer(206, [("Content-Type", "Multipart/ByteRanges; boundary=x")]).isMultipartByteRanges)
    #expect(!ResponseHead.answer(206, [("Content-Type", "text/plain; a=multipart/byteranges")]).isMultipartByteRanges)
    #expect(!ResponseHead.answer(206, []).isMultipartByteRanges)
    #expect(ResponseHead.answer(200, [("Accept-Ranges", "None")]).refusesRanges)
    #expect(!ResponseHead.answer(200, [("Accept-Ranges", "bytes")]).refusesRanges)
    #expect(!ResponseHead.answer(200, []).refusesRanges)
  }

  @Test("Validators are taken verbatim, and those that could not be sent back are not taken")
  func validators() {
    let head = ResponseHead.answer(
      200, [("ETag", "\"a\""), ("ETag", "\"a\""), ("Last-Modified", "yesterday"), ("Date", "")])
    #expect(head.validators == Validators(entityTag: "\"a\"", lastModified: "yesterday", date: nil))
    let long = ResponseHead.answer(
      200, [("ETag", String(repeating: "x", count: 5000)), ("Last-Modified", String(repeating: "x", count: 300))])
    #expect(long.validators.isEmpty)
  }

  @Test("Ten thousand damaged heads are read without harm")
  func hostileHeads() {
    let lines = [
      "HTTP/1.1 206 Partial Content", "Content-Range: bytes 50-99/100", "Content-Length: 50", "ETag: W/\"a1\"",
      "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Date: Sun, 06 Nov 1994 08:49:38 GMT", "Retry-After: 120",
      "Content-Encoding: identity", "Content-Type: multipart/byteranges", "Accept-Ranges: none",
      "Content-Disposition: attachment; filename=\"a.txt\"; filename*=UTF-8''%C3%A4.txt",
    ]
    var generator = SeededGenerator(seed: 1)
    let point = ResumePoint(offset: 50, total: 100, validators: Validators(entityTag: "W/\"a1\""), contentCoding: nil)
    var parsed = 0
    for _ in 0..<10_000 {
      let changed = lines.map { String(decoding: generator.mutation(of: Array($0.utf8)), as: UTF8.self) }
      let statusLine = Bool.random(using: &generator) ? lines[0] : changed[0]
      guard let head = ResponseHead.parse(statusLine: statusLine, fieldLines: Array(changed.dropFirst()), url: "")
      else { continue }
      parsed += 1
      if case .append(let start, let end, let total) = ResumeRules.verdict(for: head, asked: point) {
        #expect(start <= 50 && end > 50 && end <= 100 && total == 100)
      }
      _ = ResumeRules.freshVerdict(for: head, callerSentRange: false, method: "GET")
      _ = (head.retryAfter, head.validators.ifRange)
      let name = SuggestedFilename.make(contentDisposition: head.value("Content-Disposition"), urlString: changed[1])
      #expect(!name.isEmpty && !name.utf8.contains(0x2F))
    }
    #expect(parsed > 4000)
  }
}
