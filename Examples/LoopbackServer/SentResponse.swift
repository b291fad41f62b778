import Foundation

/// Follows the bytes of one answer to know whether the connection may live on after it (RFC 9112, section 6.3).
struct SentResponse {
  private static let blankLine = Data("\r\n\r\n".utf8)

  private var pending = Data()
  private var head: [String]?
  private var bodyCount: Int64 = 0

  /// Takes note of bytes that were sent.
  mutating func note(_ data: Data) {
    guard head == nil else {
      bodyCount += Int64(data.count)
      return
    }
    pending.append(data)
    while head == nil, let end = pending.range(of: Self.blankLine)?.upperBound {
      let text = String(decoding: pending[..<end], as: UTF8.self).lowercased()
      pending = Data(pending[end...])
      let lines = text.replacing("\r\n", with: "\n").split(separator: "\n").map(String.init)
      if !Self.isInterim(lines) { head = lines }
    }
    if head != nil { bodyCount = Int64(pending.count) }
  }

  /// True if the answer is complete by its own account and does not ask for the connection to be closed.
  func allowsReuse(method: String) -> Bool {
    guard let head, let status = Self.status(head) else { return false }
    if value("connection", head)?.contains("close") == true { return false }
    if head[0].hasPrefix("http/1.0"), value("connection", head)?.contains("keep-alive") != true { return false }
    if method == "HEAD" || Answer.hasNoBody(status) { return true }
    if value("transfer-encoding", head) != nil { return true }
    guard let length = value("content-length", head).flatMap({ Int64($0) }) else { return false }
    return bodyCount >= length
  }

  private func value(_ name: String, _ head: [String]) -> String? {
    head.first { $0.hasPrefix("\(name):") }?.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
  }

  private static func status(_ head: [String]) -> Int? {
    let parts = head.first?.split(separator: " ") ?? []
    return parts.count > 1 ? Int(parts[1]) : nil
  }

  /// A 1xx response precedes the real one; 101 does not, but nobody switches protocols here.
  private static func isInterim(_ head: [String]) -> Bool { status(head).map { (100..<200).contains($0) } ?? false }
}
