import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// What becomes of a file on real web servers: whole, continued, or new, and never a mixture of two versions.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ServerMatrixTests {
  @Test("nginx", .enabled(if: Products.isInstalled("nginx"), "nginx is not installed"), arguments: ServerCase.allCases)
  func nginx(_ serverCase: ServerCase) async throws { try await serverCase.run(on: Nginx.self) }

  @Test(
    "Apache", .enabled(if: Products.isInstalled("apache2"), "Apache is not installed"), arguments: ServerCase.allCases)
  func apache(_ serverCase: ServerCase) async throws { try await serverCase.run(on: Apache.self) }

  @Test("Caddy", .enabled(if: Products.isInstalled("caddy"), "Caddy is not installed"), arguments: ServerCase.allCases)
  func caddy(_ serverCase: ServerCase) async throws { try await serverCase.run(on: Caddy.self) }

  @Test(
    "lighttpd", .enabled(if: Products.isInstalled("lighttpd"), "lighttpd is not installed"),
    arguments: ServerCase.allCases.filter { !$0.compresses })
  func lighttpd(_ serverCase: ServerCase) async throws { try await serverCase.run(on: Lighttpd.self) }

  @Test(
    "lighttpd that compresses", .enabled(if: Lighttpd.canCompress, "lighttpd's module mod_deflate is not installed"),
    arguments: ServerCase.allCases.filter(\.compresses))
  func compressingLighttpd(_ serverCase: ServerCase) async throws { try await serverCase.run(on: Lighttpd.self) }
}

/// What happens to the file or to the download of it.
enum ServerCase: Sendable, CaseIterable {
  case whole
  case cancelled
  case brokenOff
  case replacedBySameLength
  case replacedByLonger
  case truncatedBelowOffset
  case truncatedAboveOffset
  case removed
  case compressible
  case decoded

  private static let body = Payload.bytes(seed: 1, count: TruthScene.length)
  private static let options = ServerOptions(compresses: true)

  /// Whether the server must be able to compress.
  var compresses: Bool { self == .compressible || self == .decoded }

  func run(on kind: any RealServer.Type) async throws {
    switch self {
    case .whole: try await whole(kind)
    case .cancelled: try await continued(kind, .hold)
    case .brokenOff: try await continued(kind, .close)
    case .replacedBySameLength: try await replaced(kind, by: Payload.bytes(seed: 2, count: TruthScene.length))
    case .replacedByLonger: try await replaced(kind, by: Payload.bytes(seed: 2, count: TruthScene.length + 70_001))
    case .truncatedBelowOffset: try await replaced(kind, by: Self.body.prefix(5_000_000))
    case .truncatedAboveOffset: try await replaced(kind, by: Self.body.prefix(10_000_000))
    case .removed: try await removed(kind)
    case .compressible: try await compressible(kind)
    case .decoded: try await decoded(kind)
    }
  }

  private func whole(_ kind: any RealServer.Type) async throws {
    let scene = try await TruthScene(kind)
    try scene.file.serve(Self.body)
    let run = try await scene.download()
    run.expect(Self.body, resumedAt: [])
    #expect(run.outcome.status == 200)
    #expect(scene.leftovers == [])
    try await scene.server.stop()
  }

  /// Every byte that came is kept, and nothing else is asked for: the server's part begins where the first one ended.
  private func continued(_ kind: any RealServer.Type, _ ending: Relay.Ending) async throws {
    let scene = try await TruthScene(kind)
    try scene.file.serve(Self.body)
    let blob = try await scene.interrupt(ending)
    let run = try await scene.resume(blob)
    try run.expectRange(blob)
    run.expect(Self.body, resumedAt: [TruthScene.firstPart])
    #expect(run.outcome.status == 206)
    #expect(run.passages.map(\.bodyBytes) == [Int64(TruthScene.length) - TruthScene.firstPart])
    #expect(scene.leftovers == [])
    try await scene.server.stop()
  }

  private func replaced(_ kind: any RealServer.Type, by other: Data) async throws {
    let scene = try await TruthScene(kind)
    try scene.file.serve(Self.body)
    let blob = try await scene.interrupt(.hold)
    try scene.file.serve(other, version: 2)
    let run = try await scene.resume(blob)
    try run.expectRange(blob)
    run.expect(other, resumedAt: [0])
    #expect(run.outcome.status == 200)
    #expect(scene.leftovers == [])
    try await scene.server.stop()
  }

  private func removed(_ kind: any RealServer.Type) async throws {
    let scene = try await TruthScene(kind)
    try scene.file.serve(Self.body)
    let blob = try await scene.interrupt(.hold)
    try scene.file.hide(true)
    let refused = try await scene.resume(blob)
    try refused.expectRange(blob)
    #expect(refused.outcome.urlError?.code == .badServerResponse)
    #expect(refused.outcome.status == 404)
    #expect(refused.outcome.file == nil)
    #expect(refused.violations == [])
    let kept = try #require(refused.outcome.resumeData)
    #expect(try ResumeData(kept).byteOffset == TruthScene.firstPart)
    try scene.file.hide(false)
    let run = try await scene.resume(kept)
    try run.expectRange(blob)
    run.expect(Self.body, resumedAt: [TruthScene.firstPart])
    try await scene.server.stop()
  }

  /// A server that would compress gives the bytes of the file all the same, and continues them.
  private func compressible(_ kind: any RealServer.Type) async throws {
    let scene = try await TruthScene(kind, serving: "file.txt", options: Self.options)
    let text = Self.text()
    try scene.file.serve(text)
    try await scene.download().expect(text, resumedAt: [])
    let blob = try await scene.interrupt(.hold)
    let run = try await scene.resume(blob)
    try run.expectRange(blob)
    run.expect(text, resumedAt: [TruthScene.firstPart])
    #expect(!run.heads.contains { $0.contains("content-encoding") })
    try await scene.server.stop()
  }

  /// A caller who asks for gzip gets the file, decoded, but an offset in it means nothing to the server.
  private func decoded(_ kind: any RealServer.Type) async throws {
    let scene = try await TruthScene(kind, serving: "file.txt", options: Self.options)
    let text = Self.text()
    try scene.file.serve(text)
    let fields = ["Accept-Encoding": "gzip"]
    let run = try await scene.download(fields: fields)
    run.expect(text, resumedAt: [])
    #expect(run.heads.allSatisfy { $0.contains("content-encoding: gzip\r\n") })
    #expect(run.passages.allSatisfy { $0.bodyBytes < text.count / 2 })
    let cancelled = try await scene.interruptedRun(.hold, at: run.passages[0].bodyBytes / 2, fields: fields)
    #expect(cancelled.outcome.urlError?.code == .cancelled)
    #expect(cancelled.outcome.resumeData == nil)
    let lost = try await scene.interruptedRun(.close, at: run.passages[0].bodyBytes / 2, fields: fields)
    #expect(lost.outcome.urlError?.code == .networkConnectionLost)
    #expect(lost.outcome.resumeData == nil)
    #expect(lost.outcome.file == nil)
    #expect(scene.leftovers == [])
    try await scene.server.stop()
  }

  /// Lines that compress and that are all different.
  private static func text() -> Data {
    let indent = String(repeating: " ", count: 53)
    let lines = (0..<TruthScene.length / 64).map { "\(indent)\(0x10_0000_0000 + $0 * 7919)".suffix(63) + "\n" }
    return Data(lines.joined().utf8)
  }
}
