import Foundation
import LoopbackServer

/// What a test has to know about an answer that was given.
struct Account: Sendable {
  let target: String
  let hadRange: Bool
  /// The file, if this answer is taken for all of it; nil if no client may do so.
  var whole: Data?
  /// A client cannot notice that it gets only the beginning of `whole`.
  var mayBeShort = false
  /// It is no version of the file and says nothing about one.
  var isPage = false
  var isRedirect = false
  /// Not one line was sent: libcurl asks again by itself if the connection had been used before.
  var isSilent = false
  /// Whether a download that this answer began can be continued, once a byte of its body has arrived.
  var canBeContinued = false
}

extension HostileAnswer {
  /// The answer to a request, and what it amounts to.
  func play(
    _ request: ReceivedRequest, _ version: FileVersion, _ profile: ValidatorProfile
  ) -> (Answer, Account) {
    var account = Account(target: request.target, hadRange: request.rangeStart != nil)
    let start = min(request.rangeStart ?? 0, Int64(version.bytes.count))
    let condition = request.value("If-Range")
    let isOther = condition.map { !version.satisfies($0) } ?? false
    switch shape {
    case .raw(let text):
      account.isSilent = !text.contains("\n")
      return (Answer([.send(Data(text.utf8)), .close]), account)
    case .redirect(let location):
      account.isRedirect = true
      let folder = request.path.split(separator: "/").first ?? ""
      return (.redirect(to: location == "/moved" ? "/\(folder)/moved" : location), account)
    case .page(let status):
      let body = Data("status \(status)".utf8)
      account.isPage = true
      account.whole = [204, 304].contains(status) ? Data() : body
      return (.status(status, body), account)
    case .portal:
      let body = Data("<html>please log in</html>".utf8)
      (account.isPage, account.whole) = (true, body)
      return (.ok(body), account)
    case .unsatisfiable(let kind):
      account.isPage = true
      account.whole = Self.page
      return (.status(416, Self.page, version.fields(profile) + kind.fields(version)), account)
    case .part(let part) where !isOther || ignoresCondition:
      // Without If-Range nothing shows that the client has this version, so the version must be named.
      let labels = isOther ? [("ETag", version.entityTag), ("Last-Modified", version.lastModified)] : nil
      return playPart(part, from: start, version, labels ?? fields(version, profile), account)
    case .multipart:
      let body = Data("--x\r\n\r\n".utf8) + version.bytes.dropFirst(Int(start)) + Data("\r\n--x--".utf8)
      let fields = fields(version, profile) + [("Content-Type", "multipart/byteranges; boundary=x")]
      return (compose(206, fields, body, &account), account)
    case .part, .whole:
      return playWhole(version, profile, account)
    }
  }

  private static let page = Data("not satisfiable".utf8)

  private func playWhole(
    _ version: FileVersion, _ profile: ValidatorProfile, _ account: Account
  ) -> (Answer, Account) {
    var account = account
    account.whole = version.bytes
    account.canBeContinued = allowsResume(profile) && extra != .gzip && extra != .refusesRanges
    if extra == .falseGzip { account.canBeContinued = false }
    let body = extra == .gzip ? gzipped(version.bytes) : version.bytes
    let answer = compose(200, fields(version, profile), body, &account)
    return (answer, account)
  }

  private func playPart(
    _ part: Part, from start: Int64, _ version: FileVersion, _ labels: [Answer.Field], _ account: Account
  ) -> (Answer, Account) {
    var account = account
    let (positions, range) = part.placed(start, Int64(version.bytes.count))
    // What a head claims beyond the end of the file is filled up, so that its length is right.
    var body = Data(version.bytes[Int(range.lowerBound)..<min(Int(range.upperBound), version.bytes.count)])
    body.append(Data(count: range.count - body.count))
    if part == .whole || (range.count == version.bytes.count && start == 0) { account.whole = version.bytes }
    let answer = compose(206, labels + positions.map { ("Content-Range", $0) }, body, &account)
    return (answer, account)
  }

  /// The head, the body in its framing, and the end.
  private func compose(_ status: Int, _ fields: [Answer.Field], _ body: Data, _ account: inout Account) -> Answer {
    var fields = fields + extraFields
    let (lengths, wire) = framed(body)
    fields += lengths
    var head = Answer.head(status, nil, fields)
    if extra == .interim { head = Answer.head(103, nil, [("Link", "<x>")]) + head }
    var answer = Answer([.send(head), .send(wire)])
    // A body whose length is wrong must not be followed by another answer.
    if ![.exact, .repeated, .listed, .chunked].contains(framing) { answer = answer.then(.close) }
    note(&account, isCoded: [.gzip, .falseGzip].contains(extra))
    guard case .cut(let permille, let ending) = ending else { return answer }
    return answer.cut(after: Int64(wire.count * permille / 1000), ending)
  }

  private func framed(_ body: Data) -> ([Answer.Field], Data) {
    let count = "\(body.count)"
    return switch framing {
    case .exact: ([("Content-Length", count)], body)
    case .more: ([("Content-Length", "\(body.count + 100)")], body)
    case .fewer: ([("Content-Length", "\(max(0, body.count - 100))")], body)
    case .repeated: ([("Content-Length", count), ("Content-Length", count)], body)
    case .listed: ([("Content-Length", "\(count), \(count)")], body)
    case .contradictory: ([("Content-Length", count), ("Content-Length", "\(body.count + 7)")], body)
    case .negative: ([("Content-Length", "-\(count)")], body)
    case .overflow: ([("Content-Length", "99999999999999999999999")], body)
    case .absent: ([], body)
    case .chunked, .chunkedCut: ([("Transfer-Encoding", "chunked")], chunks(of: body))
    }
  }

  private func chunks(of body: Data) -> Data {
    var (result, rest) = (Data(), body)
    while !rest.isEmpty {
      result += Answer.chunk(rest.prefix(9_000))
      rest = rest.dropFirst(9_000)
    }
    guard framing == .chunked else { return result }
    // A trailer is no header: these fields must change nothing (RFC 9110 section 6.5).
    let trailer = extra == .trailer ? "Content-Range: bytes 5-9/10\r\nETag: \"t\"\r\n" : ""
    return result + Data("0\r\n\(trailer)\r\n".utf8)
  }

  /// What the framing makes of the file.
  private func note(_ account: inout Account, isCoded: Bool) {
    switch framing {
    case .fewer where isCoded: account.mayBeShort = true
    case .fewer: account.whole = account.whole?.dropLast(100)
    case .contradictory, .negative, .overflow: (account.whole, account.canBeContinued) = (nil, false)
    // Where only the end of the connection ends the body, a short one looks like a whole one.
    case .absent: account.mayBeShort = true
    default: break
    }
    if extra == .fieldFlood { (account.whole, account.canBeContinued) = (nil, false) }
  }
}
