import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct SmokeTests {
  @Test("A whole file arrives")
  func wholeFile() async throws {
    let body = Payload.bytes(seed: 1, count: 1_000_000)
    let server = try LoopbackServer { _ in .ok(body) }
    let session = DownloadSession(configuration: .default)
    defer { session.invalidateAndCancel() }
    let (file, response) = try await session.download(from: server.url("/file"))
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    #expect(try Data(contentsOf: file) == body)
    try FileManager.default.removeItem(at: file)
  }
}
