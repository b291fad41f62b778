import Foundation
import FoundationNetworking
import LoopbackServer
import TestSupport
import Testing

@Suite("Loopback server", .timeLimit(.minutes(2)))
struct LoopbackServerTests {
  static let body = Payload.bytes(seed: 1, count: 1_000_000)
  static let fields = [("ETag", "\"a1\""), ("Accept-Ranges", "bytes")]

  @Test("two requests share a connection, and are kept verbatim")
  func keepsAlive() async throws {
    let server = try LoopbackServer([.ok(Data("one".utf8)), .status(404, Data("two".utf8))])
    let url = server.url("/a%2Fb?x=%5B").absoluteString
    let result = try await curl("-H", "X-Test:  padded ", url, url)
    #expect(result.text == "onetwo")
    let requests = server.requests
    #expect(requests.map(\.connection) == [1, 1])
    #expect(requests.map(\.number) == [1, 2])
    #expect(requests[0].target == "/a%2Fb?x=%5B")
    #expect(requests[0].head.hasPrefix("GET /a%2Fb?x=%5B HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"))
    #expect(requests[0].headerLines.contains("X-Test:  padded "))
    #expect(requests[0].value("x-test") == "padded")
    #expect(server.unexpectedRequests == 0)
  }

  @Test("a request beyond the script gets 500 and is counted")
  func countsUnexpectedRequests() async throws {
    let server = try LoopbackServer([.ok(Data("one".utf8))])
    let url = server.url().absoluteString
    let result = try await curl("-w", "%{http_code} ", "-o", "/dev/null", url, "-o", "/dev/null", url)
    #expect(result.text == "200 500 ")
    #expect(server.unexpectedRequests == 1)
  }

  @Test("an answer ends the connection when HTTP/1.1 says so")
  func closes() async throws {
    let server = try LoopbackServer([
      .status(200, Data("a".utf8), [("Connection", "close")]), .untilClose(Data("b".utf8)), .ok(Data("c".utf8)),
      .status(204), .raw(Data("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nd".utf8)),
    ])
    let url = server.url().absoluteString
    let result = try await curl(url, url, url, url, url)
    #expect(result.text == "abcd")
    #expect(server.requests.map(\.connection) == [1, 2, 3, 3, 3])
  }

  @Test("a request's body is read", arguments: ["hello", String(repeating: "x", count: 2_000_000)])
  func readsBody(_ text: String) async throws {
    let server = try LoopbackServer([.from { .ok($0.body) }])
    let folder = try TemporaryFolder()
    let file = try folder.write(Data(text.utf8), to: "body")
    let result = try await curl("-H", "Expect: 100-continue", "--data-binary", "@\(file)", server.url().absoluteString)
    #expect(result.output == Data(text.utf8))
    #expect(server.requests.map(\.method) == ["POST"])
  }

  @Test("something else than HTTP gets 400 and is kept apart")
  func refusesMalformedRequest() async throws {
    let server = try LoopbackServer([])
    let result = try await curl("-w", "%{http_code}", "-H", "Host:", server.url().absoluteString)
    #expect(result.text == "400")
    #expect(server.requests.isEmpty)
    #expect(server.malformedRequests.count == 1)
  }

  @Test("a cut answer ends by FIN or by RST, after all that was sent")
  func cuts() async throws {
    let server = try LoopbackServer([
      .ok(Self.body, Self.fields).cut(after: 400_000, .close), .ok(Self.body, Self.fields).cut(after: 400_000, .reset),
      .ok(Self.body, Self.fields).paced(chunk: 16_384, pauseMilliseconds: 1).cut(after: 100_000, .reset), Answer([]),
    ])
    let url = server.url().absoluteString
    let short = try await curl(url)
    #expect(short.exit == .exited(Curl.partialFile))
    #expect(short.output == Self.body.prefix(400_000))
    let reset = try await curl(url)
    #expect(reset.exit == .exited(Curl.receiveError))
    #expect(reset.output == Self.body.prefix(400_000))
    let paced = try await curl(url)
    #expect(paced.exit == .exited(Curl.receiveError))
    #expect(paced.output == Self.body.prefix(100_000))
    #expect(try await curl(url).exit == .exited(Curl.gotNothing))
  }

  @Test("a chunked body arrives in full, or is cut between chunks")
  func chunks() async throws {
    let pieces = (0..<25).map { Self.body[$0 * 16_384..<($0 + 1) * 16_384] }
    let server = try LoopbackServer([
      .chunked(pieces, trailers: [("X-End", "yes")]), .chunked(pieces, terminated: false),
    ])
    let url = server.url().absoluteString
    let whole = try await curl("-i", url)
    #expect(whole.isSuccess)
    let end = try #require(whole.output.range(of: Data("\r\n\r\n".utf8))?.upperBound)
    #expect(whole.output[end...].prefix(25 * 16_384) == Self.body.prefix(25 * 16_384))
    #expect(whole.output[end...].dropFirst(25 * 16_384).starts(with: Data("X-End: yes\r\n".utf8)))
    let cut = try await curl(url)
    #expect(cut.exit == .exited(Curl.partialFile) || cut.exit == .exited(Curl.receiveError))
    #expect(cut.output == Self.body.prefix(25 * 16_384))
  }

  @Test("the server waits at a gate, and tells how far it has come")
  func gates() async throws {
    let (reached, proceed) = (Gate(), Gate())
    let server = try LoopbackServer([
      .ok(Self.body).inserting(.signal(reached), .wait(proceed), after: 500_000)
    ])
    let child = try ChildProcess(Curl.path(), Curl.options + [server.url().absoluteString])
    #expect(try await server.waitForRequests(1).count == 1)
    try await reached.opened()
    #expect(child.exit == nil)
    proceed.open()
    let result = try await child.wait()
    #expect(result.isSuccess)
    #expect(result.output == Self.body)
  }

  @Test("silence lasts until the client goes away")
  func hangs() async throws {
    let gone = Gate()
    let server = try LoopbackServer([.ok(Self.body).cut(after: 1000, .hang).then(.signal(gone))])
    let child = try ChildProcess(Curl.path(), Curl.options + ["-N", server.url().absoluteString])
    try await server.waitForRequests(1)
    #expect(!gone.isOpen)
    child.send(SIGKILL)
    try await gone.opened()
    #expect(try await child.waitForExit() == .signalled(SIGKILL))
  }

  @Test("stop ends every connection, joins its threads, and gives the port free")
  func stops() async throws {
    let server = try LoopbackServer([
      .ok(Self.body).cut(after: 10, .hang), .ok(Self.body).inserting(.wait(Gate()), after: 10),
      .ok(Data(count: 100_000)).paced(chunk: 1, pauseMilliseconds: 1000),
    ])
    var children: [ChildProcess] = []
    for count in 1...3 {
      children.append(try ChildProcess(Curl.path(), Curl.options + [server.url().absoluteString]))
      try await server.waitForRequests(count)
    }
    server.stop()
    server.stop()
    for child in children { #expect(try await !child.wait().isSuccess) }
    #expect(try await curl(server.url().absoluteString).exit == .exited(Curl.refused))
    let again = try LoopbackServer([.ok(Data("again".utf8))], port: server.port)
    #expect(try await curl(again.url().absoluteString).text == "again")
  }

  @Test("a handler may stop the server, also while someone else does")
  func stopsFromHandler() async throws {
    let (reached, proceed, ended) = (Gate(), Gate(), Gate())
    let box = Observed<LoopbackServer?>(nil)
    let server = try LoopbackServer([
      Answer([
        .perform {
          reached.open()
          box.value?.stop()
          proceed.open()
        }
      ])
    ])
    box.update { $0 = server }
    let child = try ChildProcess(Curl.path(), Curl.options + [server.url().absoluteString])
    try await reached.opened()
    Thread.detachNewThread {
      server.stop()
      ended.open()
    }
    try await proceed.opened()
    try await ended.opened()
    box.update { $0 = nil }
    #expect(try await !child.wait().isSuccess)
  }

  @Test("a client that goes away in mid-body, or does not read, does no harm")
  func survivesClients() async throws {
    let ended = Gate()
    let server = try LoopbackServer { request in
      request.number == 1
        ? .ok(.generated(seed: 3, count: 1 << 40)) : Answer.ok(Data("fine".utf8)).after(.perform { ended.open() })
    }
    let url = server.url().absoluteString
    let child = try ChildProcess(Curl.path(), Curl.options + ["--limit-rate", "1000", "-o", "/dev/null", url])
    try await server.waitForRequests(1)
    child.send(SIGKILL)
    _ = try await child.waitForExit()
    #expect(try await curl(url).text == "fine")
    #expect(ended.isOpen)
  }

  @Test("after the listener is closed connections are refused")
  func closesListener() async throws {
    let server = try LoopbackServer([Answer.ok(Data("one".utf8)).after(.closeListener), .ok(Data("two".utf8))])
    let url = server.url().absoluteString
    #expect(try await curl(url, url).text == "onetwo")
    #expect(try await curl(url).exit == .exited(Curl.refused))
  }

  @Test("it listens on other loopback addresses", arguments: ["127.0.0.2", "::1"])
  func listens(on address: String) async throws {
    let server = try LoopbackServer([.ok(Data("here".utf8))], address: address)
    #expect(try await curl("-g", server.url().absoluteString).text == "here")
  }

  @Test("an awaited request that does not come is an error, as is a cancelled wait")
  func timesOut() async throws {
    let server = try LoopbackServer([])
    await #expect(throws: ServerError.self) { try await server.waitForRequests(1, timeoutSeconds: 0.05) }
    let waiting = Task { try await server.waitForRequests(1) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test("a released server is stopped")
  func stopsWhenReleased() async throws {
    var server: LoopbackServer? = try LoopbackServer([])
    let url = try #require(server?.url().absoluteString)
    server = nil
    #expect(try await curl(url).exit == .exited(Curl.refused))
  }
}

/// curl as an independent client, without the settings of the person who runs the tests.
enum Curl {
  static let refused: Int32 = 7
  static let partialFile: Int32 = 18
  static let gotNothing: Int32 = 52
  static let receiveError: Int32 = 56
  static let options = ["-q", "-sS", "--noproxy", "*", "--max-time", "60"]

  static func path() throws -> String { try Products.installed("curl") }
}

func curl(_ arguments: String...) async throws -> ChildProcess.Result {
  try await ChildProcess.run(Curl.path(), Curl.options + arguments)
}

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
    if example.status == 206, let first = server.requests.first?.rangeStart {
      #expect(result.output[end...] == Self.body[Int(first)...].prefix(result.output.count - end))
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

@Suite("Recording delegate", .timeLimit(.minutes(2)))
struct RecordingDelegateTests {
  private func session(_ delegate: RecordingDelegate) -> URLSession {
    URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
  }

  @Test("it keeps the file, the events and the end of the session")
  func records() async throws {
    // So little arrives in one piece: the totals of FoundationNetworking run ahead of their callbacks otherwise.
    let server = try LoopbackServer([.ok(.generated(seed: 4, count: 1000))])
    let delegate = try RecordingDelegate()
    let session = session(delegate)
    let task = session.downloadTask(with: server.url())
    task.resume()
    try await delegate.waitForBytes(1, of: task)
    let outcome = try await delegate.completion(of: task)
    let file = try #require(outcome.file)
    #expect(try Payload.verify(file: file.path, seed: 4, count: 1000) == nil)
    #expect(outcome.status == 200)
    #expect(outcome.error == nil)
    #expect(outcome.events.suffix(2) == [.finished(status: 200), .completed(nil)])
    #expect(delegate.orderViolations(for: task).isEmpty)
    #expect(outcome.temporaryFile.map { FileManager.default.fileExists(atPath: $0.path) } == false)
    session.finishTasksAndInvalidate()
    try await delegate.invalidated()
  }

  @Test("a test can cancel from inside a callback")
  func cancels() async throws {
    let server = try LoopbackServer([.ok(Payload.bytes(seed: 4, count: 100_000)).cut(after: 50_000, .hang)])
    let delegate = try RecordingDelegate()
    delegate.onWrite = { task, _ in task.cancel() }
    let session = session(delegate)
    let task = session.downloadTask(with: server.url())
    task.resume()
    let outcome = try await delegate.completion(of: task)
    #expect(outcome.urlError?.code == .cancelled)
    #expect(outcome.file == nil)
    session.invalidateAndCancel()
    try await delegate.invalidated()
  }

  @Test(
    "a wrong order of callbacks is found",
    arguments: [
      [], [.completed(nil)], [.completed(nil), .completed(nil)],
      [.finished(status: 200), .completed(URLError(.cancelled))],
      [.wrote(bytes: 5, total: 6, expected: 10), .finished(status: 200), .completed(nil)],
      [.wrote(bytes: 5, total: 5, expected: 4), .finished(status: 200), .completed(nil)],
      [.finished(status: 200), .wrote(bytes: 1, total: 1, expected: 1), .completed(nil)],
      [.finished(status: 200), .completed(nil), .wrote(bytes: 1, total: 1, expected: 1)],
      [.wrote(bytes: 1, total: 1, expected: 9), .resumed(offset: 5, expected: 9), .completed(URLError(.cancelled))],
    ] as [[DownloadEvent]])
  func findsWrongOrder(_ events: [DownloadEvent]) {
    #expect(!EventOrder.violations(events).isEmpty)
  }

  @Test("a right order of callbacks passes")
  func passesRightOrder() {
    let events: [DownloadEvent] = [
      .resumed(offset: 5, expected: 9), .wrote(bytes: 4, total: 9, expected: 9), .finished(status: 206),
      .completed(nil),
    ]
    #expect(EventOrder.violations(events) == [])
    #expect(EventOrder.violations([.completed(URLError(.cancelled))]) == [])
  }

  @Test("the test program's folder is found, and descriptors are counted")
  func findsProducts() throws {
    #expect(FileManager.default.fileExists(atPath: try Products.folder() + "/TestSupport.build"))
    #expect(throws: TestSupportError.self) { try Products.path("no-such-product") }
    let counters = try ProcessCounters.now()
    #expect(counters.descriptors >= 3 && counters.threads >= 1)
  }
}

@Suite("Real servers", .timeLimit(.minutes(2)))
struct RealServerTests {
  static let body = Payload.bytes(seed: 2, count: 300_000)

  private func check<Server: RealServer>(_ type: Server.Type, _ options: ServerOptions = ServerOptions()) async throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.body, to: "file")
    let server = try await Server.start(root: folder.path, options: options)
    var arguments = [
      "-r", "100000-", "-w", "%{stderr}%{http_code} %{http_version}", server.url("/file").absoluteString,
    ]
    if let certificate = server.certificate { arguments += ["--cacert", certificate] }
    let result = try await ChildProcess.run(Curl.path(), Curl.options + arguments)
    #expect(result.output == Self.body[100_000...], "\(result.errorText)")
    #expect(result.errorText == "206 \(options.allowsHTTP2 && options.usesTLS ? "2" : "1.1")")
    if let nginx = server as? Nginx { try await checkLog(nginx) }
    try await server.stop()
    #expect(try await curl("-k", server.url("/file").absoluteString).exit == .exited(Curl.refused))
  }

  private func checkLog(_ nginx: Nginx) async throws {
    let log = try await nginx.accessLog(atLeast: 1)
    #expect(log.map(\.target) == ["/file"])
    #expect(log.map(\.status) == [206])
    #expect(log.map(\.range) == ["bytes=100000-"])
    #expect(log.map(\.bodyBytes) == [200_000])
  }

  static let options = [ServerOptions(), ServerOptions(usesTLS: true), ServerOptions(usesTLS: true, allowsHTTP2: true)]

  @Test("nginx", arguments: options)
  func nginx(_ options: ServerOptions) async throws { try await check(Nginx.self, options) }

  @Test("Apache", arguments: options)
  func apache(_ options: ServerOptions) async throws { try await check(Apache.self, options) }

  @Test("lighttpd", arguments: options.prefix(1))
  func lighttpd(_ options: ServerOptions) async throws { try await check(Lighttpd.self, options) }

  @Test("Caddy", arguments: options)
  func caddy(_ options: ServerOptions) async throws { try await check(Caddy.self, options) }

  @Test("nginx and Apache limit their speed and compress")
  func otherOptions() async throws {
    let folder = try TemporaryFolder()
    try folder.write(Data(repeating: 97, count: 100_000), to: "file.txt")
    let options = ServerOptions(bytesPerSecond: 200_000_000, compresses: true)
    let servers: [any RealServer] = [
      try await Nginx.start(root: folder.path, options: options),
      try await Apache.start(root: folder.path, options: options),
    ]
    for server in servers {
      let result = try await curl("-H", "Accept-Encoding: gzip", "-i", server.url("/file.txt").absoluteString)
      #expect(String(decoding: result.output.prefix(1000), as: UTF8.self).contains("Content-Encoding: gzip"))
      #expect(result.output.count < 10_000)
      try await server.stop()
    }
  }
}
