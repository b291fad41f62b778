import Testing

@testable import ResumableDownloads

@Suite(.timeLimit(.minutes(1)))
struct HeadCollectorTests {
  private func feed(_ collector: inout HeadCollector, _ lines: [String]) -> [HeadCollector.Step] {
    lines.map { line in Array(line.utf8).withUnsafeBytes { collector.append($0, url: "http://localhost/f") } }
  }

  @Test("Heads with 1xx and trailers do not count")
  func interim() {
    var collector = HeadCollector()
    let steps = feed(
      &collector, ["HTTP/1.1 103 Early\r\n", "Link: x\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", "ETag: \"a\"\r\n", "\r\n"])
    guard case .complete(let head)? = steps.last else {
      Issue.record("no head")
      return
    }
    #expect(head.status == 200)
    #expect(head.fields.map(\.name) == ["ETag"])
    guard case .more? = feed(&collector, ["Digest: x\r\n"]).last else {
      Issue.record("a trailer was taken for more")
      return
    }
  }

  @Test("A flood of fields ends the exchange")
  func flood() {
    var collector = HeadCollector()
    _ = feed(&collector, ["HTTP/1.1 200 OK\r\n"])
    let line = "X: " + String(repeating: "a", count: 8000) + "\r\n"
    let steps = feed(&collector, Array(repeating: line, count: 50))
    #expect(steps.contains { if case .malformed = $0 { true } else { false } })
  }

  @Test("Bytes that are not UTF-8 lose nothing")
  func latin1() {
    var collector = HeadCollector()
    _ = feed(&collector, ["HTTP/1.1 200 OK\r\n"])
    _ = [0x45, 0x54, 0x61, 0x67, 0x3A, 0xE9, 0x0D, 0x0A].withUnsafeBufferPointer { bytes in
      bytes.map { UInt8($0) }.withUnsafeBytes { collector.append($0, url: "") }
    }
    guard case .complete(let head)? = feed(&collector, ["\r\n"]).last else {
      Issue.record("no head")
      return
    }
    #expect(head.value("ETag") == "\u{e9}")
  }
}
