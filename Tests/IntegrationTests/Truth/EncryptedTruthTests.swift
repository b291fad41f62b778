import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Real web servers over TLS, where HTTP/2 is spoken: no relay can look inside, so their logs say what was asked.
@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: Products.isInstalled("openssl"), "openssl is not installed"))
struct EncryptedTruthTests {
  @Test(
    "nginx", .enabled(if: Products.isInstalled("nginx"), "nginx is not installed"), arguments: EncryptedCase.allCases)
  func nginx(_ encryptedCase: EncryptedCase) async throws { try await encryptedCase.run(on: Nginx.self) }

  @Test(
    "Caddy", .enabled(if: Products.isInstalled("caddy"), "Caddy is not installed"), arguments: EncryptedCase.allCases)
  func caddy(_ encryptedCase: EncryptedCase) async throws { try await encryptedCase.run(on: Caddy.self) }
}

/// What happens to the file or to the download of it.
enum EncryptedCase: Sendable, CaseIterable {
  case whole
  case resumed
  case replaced

  private static let body = Payload.bytes(seed: 3, count: 16 << 20)
  private static let other = Payload.bytes(seed: 4, count: 16 << 20)

  func run<Server: LoggingServer>(on kind: Server.Type) async throws {
    let file = try ServedFile("file.bin")
    try file.serve(Self.body)
    let server = try await kind.start(root: file.root.path, options: ServerOptions(usesTLS: true, allowsHTTP2: true))
    let trusted = try #require(server.certificate)
    let fixture = try SessionFixture { $0.trustAnchorsFile = URL(fileURLWithPath: trusted) }
    defer { fixture.session.invalidateAndCancel() }
    let request = URLRequest(url: server.url("/file.bin"))
    if self == .whole {
      try await finish(fixture.session.downloadTask(with: request), in: fixture, resumedAt: [])
      #expect(try await server.accessLog(atLeast: 1).map(\.status) == [200])
    } else {
      let blob = try await interrupt(fixture.session.downloadTask(with: request), in: fixture)
      if self == .replaced { try file.serve(Self.other, version: 2) }
      let offset = try ResumeData(blob).byteOffset
      let task = fixture.session.downloadTask(withResumeData: blob)
      try await finish(task, in: fixture, resumedAt: [self == .replaced ? 0 : offset])
      try await expectRange(blob, server)
    }
    #expect(try await server.accessLog().allSatisfy { $0.version == "HTTP/2.0" })
    try await server.stop()
  }

  /// Cancels in the middle, which is far off at that speed, and expects to keep every byte that came.
  private func interrupt(_ task: DownloadTask, in fixture: SessionFixture) async throws -> Data {
    task.bytesPerSecondLimit = 1 << 20
    try await fixture.start(task, until: 1)
    let blob = try #require(await task.cancelByProducingResumeData())
    let outcome = try await fixture.delegate.completion(of: task)
    #expect(outcome.urlError?.code == .cancelled)
    #expect(try ResumeData(blob).byteOffset == task.countOfBytesReceived)
    #expect((1..<Int64(Self.body.count)).contains(task.countOfBytesReceived))
    return blob
  }

  private func finish(_ task: DownloadTask, in fixture: SessionFixture, resumedAt offsets: [Int64]) async throws {
    let outcome = try await fixture.run(task)
    #expect(outcome.error == nil)
    #expect(outcome.resumeOffsets == offsets)
    #expect(outcome.data == (self == .replaced ? Self.other : Self.body))
    #expect(fixture.delegate.orderViolations(for: task) == [])
    #expect(fixture.kept == [])
  }

  /// Expects that one request asked for the rest of the version that was begun, and what it was answered.
  private func expectRange(_ blob: Data, _ server: some LoggingServer) async throws {
    let saved = try ResumeData(blob)
    let log = try await server.accessLog(atLeast: 2)
    let ranged = log.filter { $0.range != nil }
    #expect(log.count == 2)
    #expect(ranged.map(\.range) == ["bytes=\(saved.byteOffset)-"])
    #expect(ranged.map(\.ifRange) == [saved.entityTag])
    #expect(ranged.map(\.status) == [self == .replaced ? 200 : 206])
  }
}
