import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct RelayTests {
  /// What curl says when a body is shorter than announced.
  private static let partialFile = ChildProcess.Exit.exited(18)

  @Test("A relay closes one answer at the exact byte, and passes the next in full")
  func closes() async throws {
    let body = Payload.bytes(seed: 1, count: 1_000_000)
    let server = try LoopbackServer { _ in .ok(body, [("ETag", "\"a1\"")]) }
    let relay = try Relay(to: server.port)
    relay.interruptNext(afterBodyBytes: 300_001, .close)
    let curl = try Products.installed("curl")
    let part = try await ChildProcess.run(curl, ["-s", relay.url("/file").absoluteString])
    #expect(part.exit == Self.partialFile)
    #expect(part.output == body.prefix(300_001))
    let whole = try await ChildProcess.run(curl, ["-s", relay.url("/file").absoluteString])
    #expect(whole.output == body)
    #expect(relay.passages.map(\.bodyBytes) == [300_001, 1_000_000])
    #expect(relay.passages.map(\.request) == server.requests.map(\.headBytes))
    let heads = relay.passages.map { String(decoding: $0.head, as: UTF8.self) }
    #expect(heads.allSatisfy { $0.contains("\r\nETag: \"a1\"\r\n") && $0.hasSuffix("\r\n\r\n") })
  }

  @Test("A relay holds a connection for as long as it lives")
  func holds() async throws {
    let server = try LoopbackServer { _ in .ok(Data("begin, end".utf8)) }
    var relay = try Relay(to: server.port) as Relay?
    relay?.interruptNext(afterBodyBytes: 5, .hold)
    let url = try #require(relay?.url("/file").absoluteString)
    let curl = try ChildProcess(try Products.installed("curl"), ["-sN", url])
    try await curl.waitForOutput("begin")
    #expect(curl.exit == nil)
    relay = nil
    let result = try await curl.wait()
    #expect(result.exit == Self.partialFile)
    #expect(result.text == "begin")
  }
}
