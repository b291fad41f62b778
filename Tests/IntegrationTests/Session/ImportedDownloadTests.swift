import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Downloads that began on an Apple system.
@Suite(.timeLimit(.minutes(2)))
struct ImportedDownloadTests {
  private func blob(_ url: URL, count: Int64) throws -> Data {
    let entries: [String: Any] = [
      "NSURLSessionDownloadURL": url.absoluteString, "NSURLSessionResumeBytesReceived": count,
      "NSURLSessionResumeEntityTag": FaultScene.entityTag,
    ]
    return try PropertyListSerialization.data(fromPropertyList: entries, format: .binary, options: 0)
  }

  @Test("With its partial file it continues, with as many bytes as the blob vouches for")
  func continues() async throws {
    let scene = try FaultScene([FaultScene.rest])
    let file = scene.folder.url("CFNetworkDownload_abc.tmp")
    try (FaultScene.whole.prefix(400_000) + Data("garbage".utf8)).write(to: file)
    let data = try ResumeData(
      importing: try blob(scene.server.url(), count: 400_000), partialFile: file, partialsDirectory: scene.partials)
    #expect(data.byteOffset == 400_000)
    let run = try await scene.resume(data.encoded)
    run.expect(FaultScene.whole, resumedAt: [400_000])
    #expect(try run.expectRange() == 400_000)
    #expect(FileManager.default.fileExists(atPath: file.path))
    #expect(scene.leftovers == [])
  }

  @Test("Without it the same download starts over")
  func startsOver() async throws {
    let scene = try FaultScene([FaultScene.rest])
    let data = try ResumeData(importing: try blob(scene.server.url(), count: 400_000))
    let run = try await scene.resume(data.encoded)
    run.expect(FaultScene.whole, resumedAt: [0])
    #expect(run.requests.map { $0.values("Range") } == [[]])
  }

  @Test("A file that is none is an error, and leaves nothing")
  func unreadable() throws {
    let scene = try FaultScene([])
    let blob = try blob(scene.server.url(), count: 5)
    for path in ["/dev/null", scene.folder.path, scene.folder.path("missing")] {
      #expect(throws: URLError.self) {
        try ResumeData(
          importing: blob, partialFile: URL(fileURLWithPath: path), partialsDirectory: scene.partials)
      }
    }
    #expect(scene.leftovers == [])
  }

  @Test("Credentials stay out of resume data where the policy says so", arguments: [0, 1, 2])
  func policy(number: Int) async throws {
    let scene = try FaultScene([FaultScene.beginning()])
    let fixture = try SessionFixture(partials: scene.partials) {
      $0.resumeDataHeaderPolicy = [.all, .withoutCredentials, .without(["x-token"])][number]
    }
    defer { fixture.session.invalidateAndCancel() }
    var request = URLRequest(url: scene.server.url())
    for name in ["Authorization", "Cookie", "X-Token", "X-Other"] { request.setValue("v", forHTTPHeaderField: name) }
    let blob = try #require(try await fixture.run(fixture.session.downloadTask(with: request)).resumeData)
    let expected = [["Authorization", "Cookie", "X-Other", "X-Token"], ["X-Other", "X-Token"], ["X-Other"]][number]
    #expect(try ResumeData(blob).headers.keys.sorted() == expected)
    for name in ["Authorization", "Cookie", "X-Token", "X-Other"] {
      #expect(scene.server.requests.first?.values(name) == ["v"])
    }
  }
}
