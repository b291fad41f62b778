public import Foundation

extension Answer {
  /// A field name and its value.
  public typealias Field = (String, String)

  /// The bytes of a response head, with the empty line that ends it; fields go out as given, unchecked.
  public static func head(
    _ status: Int, _ reason: String? = nil, _ fields: [Field] = [], version: String = "HTTP/1.1"
  ) -> Data {
    let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
    return Data("\(version) \(status) \(reason ?? reasonPhrase(status))\r\n\(lines)\r\n".utf8)
  }

  /// 200 with that body and its `Content-Length`.
  public static func ok(_ body: Data, _ fields: [Field] = []) -> Answer { status(200, body, fields) }

  /// 200 with that content and its `Content-Length`.
  public static func ok(_ content: Content, _ fields: [Field] = [], bytesPerSecond: Int64? = nil) -> Answer {
    let head = head(200, nil, fields + [("Content-Length", "\(content.count)")])
    return Answer([
      .send(head), .stream(content, range: 0..<content.count, bytesPerSecond: bytesPerSecond),
    ])
  }

  /// 206 with the offsets in `range` of `whole`, and the right `Content-Range` and `Content-Length`.
  public static func partial(of whole: Data, _ range: Range<Int64>, _ fields: [Field] = []) -> Answer {
    partial(of: .data(whole), range, fields)
  }

  /// 206 with the offsets in `range` of a content, and the right `Content-Range` and `Content-Length`.
  public static func partial(
    of whole: Content, _ range: Range<Int64>, _ fields: [Field] = [], bytesPerSecond: Int64? = nil
  ) -> Answer {
    let range = range.clamped(to: 0..<whole.count)
    let position = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(whole.count)"
    let own = [("Content-Range", position), ("Content-Length", "\(range.count)")]
    return Answer([
      .send(head(206, nil, fields + own)), .stream(whole, range: range, bytesPerSecond: bytesPerSecond),
    ])
  }

  /// Any status with that body; `Content-Length` is added unless `fields` has it or the status allows no body.
  public static func status(_ status: Int, _ body: Data = Data(), _ fields: [Field] = []) -> Answer {
    let hasLength = fields.contains { $0.0.lowercased() == "content-length" }
    let needsLength = !hasLength && !hasNoBody(status)
    let own = needsLength ? [("Content-Length", "\(body.count)")] : []
    return Answer([.send(head(status, nil, fields + own)), .send(body)])
  }

  /// 416 with `Content-Range: bytes */total` and a short text.
  public static func unsatisfiable(total: Int64, _ fields: [Field] = []) -> Answer {
    status(416, Data("range not satisfiable\n".utf8), fields + [("Content-Range", "bytes */\(total)")])
  }

  /// A redirect whose `Location` goes out exactly as given.
  public static func redirect(_ status: Int = 302, to location: String, _ fields: [Field] = []) -> Answer {
    self.status(status, Data(), fields + [("Location", location)])
  }

  /// 200 in chunks.
  ///
  /// - Parameters:
  ///   - chunks: The chunks; empty ones are left out, since they would end the body.
  ///   - trailers: Fields after the last chunk.
  ///   - terminated: False closes the connection in order after the last of `chunks`, without the terminator.
  public static func chunked(
    _ chunks: [Data], _ fields: [Field] = [], trailers: [Field] = [], terminated: Bool = true
  ) -> Answer {
    var steps: [Step] = [.send(head(200, nil, fields + [("Transfer-Encoding", "chunked")]))]
    steps += chunks.filter { !$0.isEmpty }.map { .send(chunk($0)) }
    let trailer = trailers.map { "\($0.0): \($0.1)\r\n" }.joined()
    steps.append(terminated ? .send(Data("0\r\n\(trailer)\r\n".utf8)) : .close)
    return Answer(steps)
  }

  /// 200 whose body ends with the connection: neither `Content-Length` nor chunks.
  public static func untilClose(_ body: Data, _ fields: [Field] = [], version: String = "HTTP/1.0") -> Answer {
    Answer([.send(head(200, nil, fields, version: version)), .send(body), .close])
  }

  /// These bytes, whatever they are.
  public static func raw(_ bytes: Data) -> Answer { Answer([.send(bytes)]) }

  /// One chunk in the coding of RFC 9112, section 7.1.
  public static func chunk(_ data: Data) -> Data {
    Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8)
  }

  static func hasNoBody(_ status: Int) -> Bool { (100..<200).contains(status) || status == 204 || status == 304 }

  private static func reasonPhrase(_ status: Int) -> String {
    let known = [
      100: "Continue", 103: "Early Hints", 200: "OK", 204: "No Content", 206: "Partial Content",
      301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
      308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
      405: "Method Not Allowed", 407: "Proxy Authentication Required", 410: "Gone", 412: "Precondition Failed",
      416: "Range Not Satisfiable", 429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway",
      503: "Service Unavailable",
    ]
    return known[status] ?? "Status \(status)"
  }
}
