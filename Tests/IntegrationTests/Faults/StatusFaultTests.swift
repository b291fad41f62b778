import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// A server that answers a range request with an error status.
@Suite(.timeLimit(.minutes(2)))
struct StatusFaultTests {
  private static let page = Data(repeating: UInt8(ascii: "e"), count: 2048)

  @Test("An error page leaves the partial file as it was", arguments: [404, 410, 500, 503])
  func errorPage(status: Int) async throws {
    let scene = try FaultScene(then: .status(status, Self.page, [("Content-Type", "text/html")]), FaultScene.rest)
    let blob = try await scene.interrupt()
    let failed = try await scene.resume(blob)
    let kept = try failed.expect(failure: .badServerResponse, keeping: blob)
    #expect(failed.outcome.status == status)
    let run = try await scene.resume(kept)
    let start = try run.expectRange()
    #expect(start == (try ResumeData(blob).byteOffset))
    run.expect(FaultScene.whole, resumedAt: [start])
  }

  @Test("A server that refuses ranges, but not plain requests, costs nobody the partial file")
  func refusesRange() async throws {
    let guarded = Answer.from { request in
      request.rangeStart == nil ? .ok(FaultScene.whole, FaultScene.validators) : .status(403, Self.page)
    }
    let scene = try FaultScene(then: guarded, guarded)
    let blob = try await scene.interrupt()
    let run = try await scene.resume(blob)
    _ = try run.expect(failure: .badServerResponse, keeping: blob)
    #expect(run.requests.count == 1)
    try await scene.start().expect(FaultScene.whole, resumedAt: [])
  }

  @Test("No HEAD is sent, so a server that refuses it does no harm")
  func noHead() async throws {
    let server = Answer.from { $0.method == "GET" ? FaultScene.rest : .status(405) }
    let scene = try FaultScene(then: server, server)
    let run = try await scene.interruptAndResume()
    #expect(scene.server.requests.map(\.method) == ["GET", "GET"])
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange()])
  }

  @Test("A login page that answers the clean restart leaves the partial file as it was")
  func loginPageAfterRestart() async throws {
    let portal = Answer.ok(Data("please log in".utf8), [("Content-Type", "text/html")])
    let scene = try FaultScene(then: .status(412, Self.page), portal, FaultScene.rest)
    let blob = try await scene.interrupt()
    let run = try await scene.resume(blob)
    #expect(run.requests.map { $0.values("Range").count } == [1, 0])
    let kept = try run.expect(failure: .badServerResponse, keeping: blob)
    try await scene.resume(kept).expect(FaultScene.whole, resumedAt: [ResumeData(blob).byteOffset])
  }

  @Test("An answer that is not HTTP is a bad one", arguments: ["220 ready\r\n", "HTTP/1.1 abc\r\n\r\n", "\r\n\r\n"])
  func noHTTP(text: String) async throws {
    let scene = try FaultScene(then: Answer([.send(Data(text.utf8)), .close]), FaultScene.rest)
    let blob = try await scene.interrupt()
    let kept = try await scene.resume(blob).expect(failure: .badServerResponse, keeping: blob)
    try await scene.resume(kept).expect(FaultScene.whole, resumedAt: [ResumeData(blob).byteOffset])
  }

  @Test("An expired link can be replaced by a fresh one")
  func expiredLink() async throws {
    let signed = Answer.from { $0.target == "/file?sig=2" ? FaultScene.rest : .status(403, Self.page) }
    let scene = try FaultScene(then: signed, signed)
    let blob = try await scene.interrupt("/file?sig=1")
    let failed = try await scene.resume(blob)
    #expect(failed.requests.map(\.target) == ["/file?sig=1"])
    #expect(failed.outcome.status == 403)
    let kept = try failed.expect(failure: .badServerResponse, keeping: blob)
    let fresh = try ResumeData(kept).replacingRequest(URLRequest(url: scene.server.url("/file?sig=2")))
    let run = try await scene.resume(fresh.encoded)
    #expect(run.requests.map(\.target) == ["/file?sig=2"])
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange()])
  }

  @Test("A file that has become shorter is fetched anew, once")
  func becameShorter() async throws {
    let short = FaultScene.other.prefix(300_000)
    let scene = try FaultScene(
      then: .unsatisfiable(total: 300_000, FaultScene.otherValidators), .ok(short, FaultScene.otherValidators))
    let run = try await scene.interruptAndResume()
    try run.expectRange()
    #expect(run.requests.count == 2)
    #expect(run.requests.last?.values("Range") == [])
    run.expect(short, resumedAt: [0])
  }

  @Test("A server that satisfies no request at all is asked twice")
  func neverSatisfied() async throws {
    let refusal = Answer.unsatisfiable(total: 300_000, FaultScene.otherValidators)
    let scene = try FaultScene(then: refusal, refusal, FaultScene.rest)
    let blob = try await scene.interrupt()
    let run = try await scene.resume(blob)
    #expect(run.requests.count == 2)
    _ = try run.expect(failure: .badServerResponse, keeping: blob)
    #expect(run.outcome.status == 416)
  }

  @Test("A partial file that is the whole one is finished without asking")
  func alreadyWhole() async throws {
    let scene = try FaultScene([FaultScene.beginning(.close)])
    let blob = try await scene.interrupt()
    let edited = try EditedPartial(blob)
    try await edited.settle()
    try edited.write(FaultScene.whole)
    try edited.change { $0["offset"] = FaultScene.length }
    let run = try await scene.resume(try edited.blob())
    #expect(run.requests.isEmpty)
    run.expect(FaultScene.whole, resumedAt: [FaultScene.length])
  }

  @Test("Where the length was unknown, a refused range at the end tells that the file is whole")
  func wholeByRefusal() async throws {
    let page = Data(repeating: UInt8(ascii: "h"), count: 180)
    let refusal = Answer.status(416, page, FaultScene.validators + [("Content-Range", "bytes */1000000")])
    let scene = try FaultScene([
      .chunked([FaultScene.whole], FaultScene.validators, terminated: false), refusal,
    ])
    let blob = try await scene.interrupt()
    let run = try await scene.resume(blob)
    #expect(run.requests.map { $0.values("Range") } == [["bytes=1000000-"]])
    run.expect(FaultScene.whole, resumedAt: [FaultScene.length])
  }

  @Test("Where the length was unknown, a page that is no refusal of the range leaves all as it was")
  func notFoundAtTheEnd() async throws {
    let scene = try FaultScene([
      .chunked([FaultScene.whole], FaultScene.validators, terminated: false), .status(404, Self.page),
      .unsatisfiable(total: FaultScene.length, FaultScene.validators),
    ])
    let blob = try await scene.interrupt()
    let failed = try await scene.resume(blob)
    let kept = try failed.expect(failure: .badServerResponse, keeping: blob)
    #expect(failed.outcome.status == 404)
    try await scene.resume(kept).expect(FaultScene.whole, resumedAt: [FaultScene.length])
  }
}
