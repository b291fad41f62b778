import Foundation
import FoundationNetworking
import Glibc
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// The scripted server behind TLS and HTTP/2: what it does to its connection reaches the client as a reset stream or as
/// an end without a goodbye.
@Suite(
  .timeLimit(.minutes(3)),
  .enabled(if: Products.isInstalled("nginx") && Products.isInstalled("openssl"), "nginx or openssl is missing"))
struct EncryptedFaultTests {
  private struct Front {
    var scene: FaultScene
    let nginx: Nginx

    init(_ scene: FaultScene, http2: Bool) async throws {
      nginx = try await Nginx.start(
        inFrontOf: scene.server.origin, options: ServerOptions(usesTLS: true, allowsHTTP2: http2))
      self.scene = scene
      self.scene.trustAnchor = nginx.certificate
    }

    func start(headers: [String: String] = [:]) async throws -> FaultRun {
      var request = URLRequest(url: nginx.url("/file"))
      for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
      return try await scene.run { $0.downloadTask(with: request) }
    }

    func expectVersion(_ version: String, count: Int) async throws {
      let log = try await nginx.accessLog(atLeast: count)
      #expect(log.map(\.version) == Array(repeating: version, count: count))
    }
  }

  @Test("A connection or stream that is cut in the middle is continued", arguments: [false, true])
  func cut(http2: Bool) async throws {
    let front = try await Front(FaultScene(then: FaultScene.rest), http2: http2)
    let failed = try await front.start()
    failed.expect(failure: .networkConnectionLost)
    let blob = try #require(failed.outcome.resumeData)
    let run = try await front.scene.resume(blob)
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange()])
    try await front.expectVersion(http2 ? "HTTP/2.0" : "HTTP/1.1", count: 2)
  }

  @Test("A stream of unknown length that is reset is no whole file")
  func unknownLength() async throws {
    let chunks = Answer.chunked([FaultScene.whole], FaultScene.validators).cut(after: 400_000, .reset)
    let front = try await Front(FaultScene([chunks, FaultScene.rest]), http2: true)
    let failed = try await front.start()
    failed.expect(failure: .networkConnectionLost)
    let blob = try #require(failed.outcome.resumeData)
    #expect(try ResumeData(blob).expectedTotalBytes == nil)
    let run = try await front.scene.resume(blob)
    run.expect(FaultScene.whole, resumedAt: [try ResumeData(blob).byteOffset])
  }

  @Test("What a status says counts more than the reset that follows it")
  func statusBeforeReset() async throws {
    let refusal = Answer.status(416, Data(count: 5_000), [("Content-Range", "bytes */300000")])
    let short = FaultScene.other.prefix(300_000)
    let scene = try FaultScene(then: refusal.cut(after: 10, .reset), .ok(short, FaultScene.otherValidators))
    let front = try await Front(scene, http2: true)
    let blob = try #require(try await front.start().outcome.resumeData)
    let run = try await front.scene.resume(blob)
    #expect(run.requests.map { $0.values("Range").count } == [1, 0])
    run.expect(short, resumedAt: [0])
  }

  @Test(
    "An end without a goodbye is no end of the file, also where nothing else would end it", arguments: [false, true])
  func noGoodbye(hasLength: Bool) async throws {
    let reached = Gate()
    let whole =
      hasLength
      ? Answer.ok(FaultScene.whole, FaultScene.validators)
      : .untilClose(FaultScene.whole, FaultScene.validators, version: "HTTP/1.0")
    let scene = try FaultScene([whole.cut(after: FaultScene.firstPart, .hang), FaultScene.rest])
    let front = try await Front(scene, http2: false)
    let delegate = try RecordingDelegate()
    let session = front.scene.session(delegate)
    defer { session.invalidateAndCancel() }
    delegate.onWrite = { _, total in if total >= FaultScene.firstPart / 2 { reached.open() } }
    let task = session.downloadTask(with: front.nginx.url("/file"))
    task.resume()
    try await reached.opened()
    front.nginx.process.child.send(SIGKILL)
    let outcome = try await delegate.completion(of: task)
    #expect(outcome.urlError?.code == .networkConnectionLost)
    #expect(outcome.file == nil)
    let blob = try #require(outcome.resumeData)
    let direct = try ResumeData(blob).replacingRequest(URLRequest(url: scene.server.url()))
    let run = try await scene.resume(direct.encoded)
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange()])
  }

  @Test("Secrets do not follow a redirect that gives up TLS, the range does")
  func downgrade() async throws {
    let plain = try LoopbackServer([FaultScene.beginning(), FaultScene.rest])
    let away = Answer.redirect(to: plain.url("/b").absoluteString)
    let front = try await Front(FaultScene([away, away]), http2: false)
    let secrets = ["Authorization": "Bearer t", "Cookie": "a=b", "Proxy-Authorization": "Basic eDp5"]
    let blob = try #require(try await front.start(headers: secrets).outcome.resumeData)
    let run = try await front.scene.resume(blob)
    let start = try run.expectRange()
    run.expect(FaultScene.whole, resumedAt: [start])
    #expect(front.scene.server.requests.map { $0.value("Authorization") } == ["Bearer t", "Bearer t"])
    #expect(plain.requests.flatMap { request in secrets.keys.flatMap { request.values($0) } } == [])
    #expect(plain.requests.map(\.rangeStart) == [nil, start])
  }

  @Test("A certificate that nobody vouches for leaves all as it was")
  func untrusted() async throws {
    let front = try await Front(FaultScene(then: FaultScene.rest), http2: false)
    let blob = try #require(try await front.start().outcome.resumeData)
    var careful = front.scene
    careful.trustAnchor = nil
    let refused = try await careful.resume(blob)
    let kept = try refused.expect(failure: .serverCertificateUntrusted, keeping: blob)
    #expect(refused.requests.isEmpty)
    try await front.scene.resume(kept).expect(FaultScene.whole, resumedAt: [ResumeData(blob).byteOffset])
  }
}
