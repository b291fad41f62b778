/// Gathers the header lines that libcurl hands out one by one into the final head of an answer.
///
/// A status line starts over, so 1xx heads (RFC 9110 section 15.2) disappear; lines after the final head are trailers
/// (section 6.5) and are ignored. Memory is bounded, whatever the server sends.
struct HeadCollector {
  /// The most that one exchange may send as heads and trailers, 1xx heads included.
  static let maximumBytes = 300 * 1024
  /// As many lines as most heads have at most.
  private static let usualLines = 16

  private var statusLine = ""
  private var fieldLines: [String] = []
  private var received = 0
  private(set) var isComplete = false

  enum Step {
    case more
    case complete(ResponseHead)
    case malformed
  }

  /// Takes one line with its line break.
  mutating func append(_ line: UnsafeRawBufferPointer, url: String) -> Step {
    received += line.count
    guard received <= Self.maximumBytes else { return .malformed }
    guard !isComplete else { return .more }
    let text = Self.text(of: line)
    if text.isEmpty { return finish(url: url) }
    if statusLine.isEmpty || Self.isStatusLine(line) {
      statusLine = text
      fieldLines.removeAll(keepingCapacity: true)
      fieldLines.reserveCapacity(Self.usualLines)
    } else {
      fieldLines.append(text)
    }
    return .more
  }

  /// Waits for another head after all.
  mutating func startOver() { isComplete = false }

  static func isStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
    line.first == UInt8(ascii: "H") && line.starts(with: "HTTP/".utf8)
  }

  private mutating func finish(url: String) -> Step {
    guard let head = ResponseHead.parse(statusLine: statusLine, fieldLines: fieldLines, url: url) else {
      return .malformed
    }
    statusLine = ""
    guard head.status >= 200 || head.status == 101 else { return .more }
    isComplete = true
    return .complete(head)
  }

  /// The line without its break: UTF-8 where it is valid, else Latin-1, which loses no byte.
  private static func text(of line: UnsafeRawBufferPointer) -> String {
    var end = line.count
    while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
    let bytes = UnsafeRawBufferPointer(rebasing: line[..<end])
    // Nearly every line, and read much faster.
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}
