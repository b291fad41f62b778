import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct AbandonedDownloadTests {
  @Test("Downloads that no task holds are listed, continue, and can be removed")
  func listed() async throws {
    let folder = try TemporaryFolder()
    let body = Payload.bytes(seed: 3, count: 1_000_000)
    let resource = RangeResource(.init(.data(body)), drops: [.dropAfter(400_000), .dropAfter(100_000)])
    let server = try LoopbackServer(handler: resource.answer)
    let configuration = URLSessionConfiguration.default
    configuration.partialsDirectory = folder.url("partials")
    let session = DownloadSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    await #expect(throws: URLError.self) { try await session.download(from: server.url("/a")) }
    await #expect(throws: URLError.self) { try await session.download(from: server.url("/b")) }

    let found = try DownloadSession.abandonedDownloads(in: folder.url("partials"))
    #expect(found.map(\.byteOffset).sorted() == [100_000, 400_000])
    #expect(found.allSatisfy { $0.expectedTotalBytes == 1_000_000 })
    let larger = try #require(found.max { $0.byteOffset < $1.byteOffset })
    let (file, _) = try await session.download(resumeFrom: larger.encoded)
    #expect(try Data(contentsOf: file) == body)
    #expect(server.requests.map(\.rangeStart) == [nil, nil, 400_000])

    try DownloadSession.removeAbandonedDownloads(in: folder.url("partials"), olderThan: Date.distantPast)
    #expect(try DownloadSession.abandonedDownloads(in: folder.url("partials")).count == 1)
    try DownloadSession.removeAbandonedDownloads(
      in: folder.url("partials"), olderThan: Date(timeIntervalSinceNow: 3600))
    #expect(try DownloadSession.abandonedDownloads(in: folder.url("partials")).isEmpty)
  }
}
