import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite("Range resource", .timeLimit(.minutes(2)))
struct RangeResourceTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let range: String
    var ifRange: String?
    let status: Int
    var contentRange: String?

    var testDescription: String { "\(range) \(ifRange ?? "")" }
  }

  static let body = Payload.bytes(seed: 7, count: 10_000)
  static let date = "Mon, 01 Jan 2024 10:00:00 GMT"
  static let cases = [
    Case(range: "bytes=4000-", status: 206, contentRange: "bytes 4000-9999/10000"),
    Case(range: "bytes=4000-4999", status: 206, contentRange: "bytes 4000-4999/10000"),
    Case(range: "bytes=4000-20000", status: 206, contentRange: "bytes 4000-9999/10000"),
    Case(range: "bytes=-1", status: 206, contentRange: "bytes 9999-9999/10000"),
    Case(range: "bytes=4000-", ifRange: "\"a1\"", status: 206, contentRange: "bytes 4000-9999/10000"),
    Case(range: "bytes=4000-", ifRange: date, status: 206, contentRange: "bytes 4000-9999/10000"),
    Case(range: "bytes=4000-", ifRange: "\"b1\"", status: 200),
    Case(range: "bytes=4000-", ifRange: "W/\"a1\"", status: 200),
    Case(range: "bytes=4000-", ifRange: "Mon, 01 Jan 2024 10:00:01 GMT", status: 200),
    Case(range: "bytes=10000-", status: 416, contentRange: "bytes */10000"),
    Case(range: "bytes=10000-", ifRange: "\"b1\"", status: 200),
    Case(range: "bytes=1-2,5-6", status: 200), Case(range: "bytes=+1-", status: 200),
    Case(range: "bytes=9-8", status: 200), Case(range: "items=1-", status: 200),
  ]

  @Test("ranges follow RFC 9110", arguments: cases)
  func followsRules(_ example: Case) async throws {
    let resource = RangeResource(.init(.data(Self.body), lastModified: Self.date))
    let server = try LoopbackServer(handler: resource.answer)
    var arguments = ["-i", "-H", "Range: \(example.range)"]
    if let ifRange = example.ifRange { arguments += ["-H", "If-Range: \(ifRange)"] }
    let result = try await ChildProcess.run(
      Curl.path(), Curl.options + arguments + [server.url().absoluteString])
    let end = try #require(result.output.range(of: Data("\r\n\r\n".utf8))?.upperBound)
    let head = String(decoding: result.output[..<end], as: UTF8.self)
    #expect(head.hasPrefix("HTTP/1.1 \(example.status) "))
    #expect(head.contains("Content-Range: ") == (example.contentRange != nil))
    if let contentRange = example.contentRange { #expect(head.contains("\r\nContent-Range: \(contentRange)\r\n")) }
    if example.status == 200 { #expect(result.output[end...] == Self.body) }
    if example.status == 206 {
      let numbers = try #require(example.contentRange).split { !$0.isNumber }.compactMap { Int($0) }
      #expect(result.output[end...] == Self.body[numbers[0]...numbers[1]])
    }
  }

  @Test("it drops the first answer, and gives the rest on the second")
  func drops() async throws {
    let resource = RangeResource(
      .init(.generated(seed: 5, count: 1_000_000)), drops: [.dropAfter(400_000)])
    let server = try LoopbackServer(handler: resource.answer)
    let folder = try TemporaryFolder()
    let url = server.url().absoluteString
    #expect(try await curl("-o", folder.path("out"), url).exit == .exited(Curl.receiveError))
    #expect(try await curl("-C", "-", "-o", folder.path("out"), url).isSuccess)
    #expect(server.requests.map(\.rangeStart) == [nil, 400_000])
    #expect(try Payload.verify(file: folder.path("out"), seed: 5, count: 1_000_000) == nil)
    #expect(try Payload.verify(file: folder.path("out"), seed: 5, count: 1_000_001) == 1_000_000)
    #expect(try Payload.verify(file: folder.path("out"), seed: 6, count: 1_000_000) == 0)
  }

  @Test("it can be replaced, answers HEAD without a body, and refuses other methods")
  func replaces() async throws {
    let resource = RangeResource(.init(.data(Data("old".utf8))))
    let server = try LoopbackServer(handler: resource.answer)
    let url = server.url().absoluteString
    #expect(try await curl(url).text == "old")
    resource.replace(with: .init(.data(Data("newer".utf8)), entityTag: "\"b1\""))
    let head = try await curl("-I", url, url).text
    #expect(head.contains("Content-Length: 5\r\n"))
    #expect(head.contains("ETag: \"b1\"\r\n"))
    #expect(server.requests.suffix(2).map(\.connection) == [2, 2])
    #expect(try await curl("-X", "DELETE", "-w", "%{http_code}", url).text == "405")
  }

  @Test("it keeps to its speed")
  func throttles() async throws {
    let resource = RangeResource(.init(.generated(seed: 5, count: 50_000)), bytesPerSecond: 100_000)
    let server = try LoopbackServer(handler: resource.answer)
    let begin = ContinuousClock.now
    #expect(try await curl(server.url().absoluteString).output == Payload.bytes(seed: 5, count: 50_000))
    #expect(ContinuousClock.now - begin >= .milliseconds(450))
  }

  @Test("a payload is the same by whatever range it is read")
  func slices() {
    let whole = Payload.bytes(seed: 9, count: 5000)
    for range in [0..<1, 1..<9, 7..<8, 8..<16, 3..<4999, 0..<5000, 9..<9] as [Range<Int64>] {
      #expect(Payload.slice(seed: 9, range: range) == whole[Int(range.lowerBound)..<Int(range.upperBound)])
    }
    #expect(Payload.bytes(seed: 10, count: 5000) != whole)
  }
}
