import Foundation
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
    // A client that goes before the first byte would end the answer where it is sent, not in the silence.
    try await child.waitForOutput("the first bytes") { !$0.isEmpty }
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
