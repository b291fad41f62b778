import Foundation

/// Reads one request after the other from a connection. Confined to the connection's thread.
struct RequestReader {
  enum Result {
    case request(RequestHead, body: Data)
    /// The head is not one of HTTP/1.x, or the body has no length; carries what was read.
    case malformed(Data)
    /// The client closed the connection, reset it, or the server stops.
    case end
  }

  /// More than any client of ours sends, and little enough to hold.
  private static let maximumHead = 1 << 20
  private static let blankLine = Data("\r\n\r\n".utf8)

  private let descriptor: Int32
  private var pending = Data()

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  mutating func next() -> Result {
    while true {
      if let end = pending.range(of: Self.blankLine)?.upperBound { return finish(headEnd: end) }
      if pending.count > Self.maximumHead { return .malformed(pending) }
      guard receive() else { return pending.isEmpty ? .end : .malformed(pending) }
    }
  }

  private mutating func finish(headEnd: Data.Index) -> Result {
    let bytes = Data(pending[..<headEnd])
    pending = Data(pending[headEnd...])
    guard let head = RequestHead(bytes), let length = head.bodyLength else { return .malformed(bytes) }
    if head.expectsContinue, length > pending.count {
      guard Socket.send(descriptor, Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)) else { return .end }
    }
    while pending.count < length { guard receive() else { return .malformed(bytes + pending) } }
    let body = Data(pending.prefix(length))
    pending = Data(pending.dropFirst(length))
    return .request(head, body: body)
  }

  private mutating func receive() -> Bool {
    guard let data = Socket.receive(descriptor), !data.isEmpty else { return false }
    pending.append(data)
    return true
  }
}
