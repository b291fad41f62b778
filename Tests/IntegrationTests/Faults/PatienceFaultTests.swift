import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Servers that are slow, that want to be asked later, or that fail again and again.
@Suite(.timeLimit(.minutes(3)))
struct PatienceFaultTests {
  @Test("A server that sends a byte now and then is not given up")
  func slowBytes() async throws {
    let body = Data(FaultScene.whole.prefix(30))
    var scene = try FaultScene([Answer.ok(body).paced(chunk: 1, pauseMilliseconds: 100)])
    // The whole takes longer than the silence that is borne.
    scene.timeout = 2
    try await scene.start().expect(body, resumedAt: [])
  }

  @Test("A head that comes byte by byte, or has no end, is given up in time", arguments: [true, false])
  func slowHead(endsLines: Bool) async throws {
    let line = Data((endsLines ? "A: b\r\n" : "aaaaaa").utf8)
    let lines = (0..<2_000).reduce(into: Data("HTTP/1.1 200 OK\r\nX: ".utf8)) { data, _ in data += line }
    var scene = try FaultScene([Answer([.sendSlowly(lines, chunk: 6, pauseMilliseconds: 50)])])
    if endsLines { scene.totalTimeout = 1 } else { scene.timeout = 1 }
    let run = try await scene.start()
    run.expect(failure: .timedOut)
    #expect(run.outcome.resumeData == nil)
  }

  @Test("A name that is not found leaves all as it was")
  func unknownHost() async throws {
    let scene = try FaultScene(then: FaultScene.rest)
    let blob = try await scene.interrupt()
    // A label of more than 63 bytes is refused without asking anybody (RFC 1035 section 2.3.4).
    let name = String(repeating: "n", count: 64) + ".invalid"
    let elsewhere = try ResumeData(blob).replacingRequest(
      URLRequest(url: #require(URL(string: "http://\(name)/file"))))
    let failed = try await scene.resume(elsewhere.encoded)
    let kept = try failed.expect(failure: .cannotFindHost, keeping: blob)
    let back = try ResumeData(kept).replacingRequest(URLRequest(url: scene.server.url()))
    try await scene.resume(back.encoded).expect(FaultScene.whole, resumedAt: [ResumeData(blob).byteOffset])
  }

  @Test("A download that fails at 99 % and then three times more loses nothing")
  func failsAgainAndAgain() async throws {
    var scene = try FaultScene([
      Answer.ok(FaultScene.whole, FaultScene.validators).cut(after: 990_000, .close), Answer([.reset]), .status(503),
      Answer([.hang]), FaultScene.rest,
    ])
    let blob = try await scene.interrupt()
    var kept = blob
    for code in [URLError.Code.networkConnectionLost, .badServerResponse, .timedOut] {
      scene.timeout = code == .timedOut ? 1 : 60
      kept = try await scene.resume(kept).expect(failure: code, keeping: blob)
    }
    scene.timeout = 60
    let run = try await scene.resume(kept)
    #expect(run.requests.map(\.rangeStart) == [990_000])
    run.expect(FaultScene.whole, resumedAt: [990_000])
  }

  @Test("Without a policy a busy server ends the download, and says when to come back", arguments: [429, 503])
  func busy(status: Int) async throws {
    let scene = try FaultScene(then: .status(status, Data("busy".utf8), [("Retry-After", "3")]), FaultScene.rest)
    let blob = try await scene.interrupt()
    let failed = try await scene.resume(blob)
    let kept = try failed.expect(failure: .badServerResponse, keeping: blob)
    let response = try #require(failed.outcome.response as? HTTPURLResponse)
    #expect(response.statusCode == status)
    #expect(response.value(forHTTPHeaderField: "Retry-After") == "3")
    try await scene.resume(kept).expect(FaultScene.whole, resumedAt: [ResumeData(blob).byteOffset])
  }

  @Test("With a policy a busy server is asked again no sooner than it says", arguments: ["2", "date", "soon", "-1"])
  func retryAfter(value: String) async throws {
    let busy = Answer.from { _ in
      let date = HTTPDate.string(Date(timeIntervalSinceNow: 3))
      return .status(429, Data("busy".utf8), [("Retry-After", value == "date" ? date : value)])
    }
    var scene = try FaultScene(then: busy, FaultScene.rest)
    let blob = try await scene.interrupt()
    scene.retryPolicy = RetryPolicy(initialDelay: 0.01, maximumDelay: 10)
    let run = try await scene.resume(blob)
    run.expect(FaultScene.whole, resumedAt: [try ResumeData(blob).byteOffset])
    #expect(run.requests.count == 2)
    // A date has whole seconds, so up to one of the three may be lost.
    let least: Duration = ["2", "date"].contains(value) ? .seconds(2) : .zero
    #expect(run.requests[1].arrival - run.requests[0].arrival >= least - .milliseconds(100))
  }

  @Test("A server that wants to be left alone for longer than the policy waits is given up at once")
  func retryMuchLater() async throws {
    var scene = try FaultScene(then: .status(503, Data(), [("Retry-After", "3000")]), FaultScene.rest)
    let blob = try await scene.interrupt()
    scene.retryPolicy = RetryPolicy(initialDelay: 0.01, maximumDelay: 10)
    let run = try await scene.resume(blob)
    _ = try run.expect(failure: .badServerResponse, keeping: blob)
    #expect(run.requests.count == 1)
  }

  @Test("A file that is replaced between two attempts of one task comes whole, and the count goes back")
  func replacedBetweenAttempts() async throws {
    var scene = try FaultScene([FaultScene.beginning(.close), FaultScene.otherRest])
    scene.retryPolicy = RetryPolicy(initialDelay: 0.01)
    let run = try await scene.start()
    run.expect(FaultScene.other, resumedAt: [0])
    #expect(run.requests.map { $0.values("If-Range") } == [[], [FaultScene.entityTag]])
  }
}
