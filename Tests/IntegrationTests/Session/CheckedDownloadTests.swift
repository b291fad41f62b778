import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct CheckedDownloadTests {
  @Test("With validateStatus a bad status is an error that carries the answer", arguments: [400, 404, 503])
  func badStatus(status: Int) async throws {
    let server = try LoopbackServer { _ in .status(status, Data("no".utf8), [("X-Why", "because")]) }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url(), options: .validateStatus)
    let outcome = try await fixture.run(task)
    #expect(outcome.urlError?.code == .badServerResponse)
    #expect(outcome.status == status)
    #expect(outcome.file == nil)
    #expect(outcome.urlError?.downloadTaskResponse?.value(forHTTPHeaderField: "x-why") == "because")
    let error = await #expect(throws: URLError.self) {
      _ = try await fixture.session.download(from: server.url(), options: .validateStatus)
    }
    #expect(error?.code == .badServerResponse)
    #expect(error?.downloadTaskResponse?.statusCode == status)
    // Header fields may hold secrets.
    let shown = String(describing: error?.userInfo)
    #expect(shown.contains("status \(status)") && !shown.contains("because"))
    #expect(fixture.kept == [])
  }

  @Test("Without options a bad status is a file, and with validateStatus a good one is")
  func otherStatus() async throws {
    let server = try LoopbackServer { $0.path == "/none" ? .status(404, Data("no".utf8)) : .ok(Data("yes".utf8)) }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let unchecked = try await fixture.run(fixture.session.downloadTask(with: server.url("/none"), options: []))
    #expect(unchecked.error == nil)
    #expect(unchecked.data == Data("no".utf8))
    let (file, response) = try await fixture.session.download(from: server.url(), options: .validateStatus)
    #expect(try Data(contentsOf: file) == Data("yes".utf8))
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    try FileManager.default.removeItem(at: file)
  }

  @Test("The async form to a destination moves the file there, and replaces one only when asked")
  func destination() async throws {
    let server = try LoopbackServer { $0.path == "/none" ? .status(404) : .ok(Data($0.target.utf8)) }
    let folder = try TemporaryFolder("destination")
    let session = DownloadSession(configuration: .default)
    defer { session.invalidateAndCancel() }
    let response = try await session.download(from: server.url("/1"), to: folder.url("file"))
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    let error = await #expect(throws: URLError.self) {
      try await session.download(from: server.url("/2"), to: folder.url("file"))
    }
    #expect(error?.code == .cannotMoveFile)
    #expect(try Data(contentsOf: folder.url("file")) == Data("/1".utf8))
    let refused = await #expect(throws: URLError.self) {
      try await session.download(from: server.url("/none"), to: folder.url("file"), replacingExisting: true)
    }
    #expect(refused?.code == .badServerResponse)
    #expect(refused?.downloadTaskResponse?.statusCode == 404)
    #expect(try Data(contentsOf: folder.url("file")) == Data("/1".utf8))
    let request = URLRequest(url: server.url("/3"))
    try await session.download(for: request, to: folder.url("file"), replacingExisting: true)
    #expect(try Data(contentsOf: folder.url("file")) == Data("/3".utf8))
    #expect(try folder.contents() == ["file"])
    #expect(server.requests.map(\.path) == ["/1", "/none", "/3"])
  }

  @Test("Cancelling the Swift task of a download to a destination throws resume data, and the same call goes on")
  func cancelled() async throws {
    let server = try LoopbackServer.stalling(seed: 23)
    let folder = try TemporaryFolder("destination")
    let session = DownloadSession(configuration: .default)
    defer { session.invalidateAndCancel() }
    let running = Task { try await session.download(from: server.url(), to: folder.url("file")) }
    try await server.waitForRequests(1)
    let task = try #require(await session.tasks.2.first as? DownloadTask)
    for try await event in task.events where event == .progress(written: 100_000, expected: 300_000) {
      running.cancel()
      break
    }
    let error = await #expect(throws: URLError.self) { try await running.value }
    #expect(error?.code == .cancelled)
    #expect(try ResumeData(#require(error?.downloadTaskResumeData)).byteOffset == 100_000)
    #expect(!FileManager.default.fileExists(atPath: folder.path("file")))
    try await session.download(from: server.url(), to: folder.url("file"))
    #expect(try Payload.verify(file: folder.path("file"), seed: 23, count: 300_000) == nil)
    #expect(try folder.contents() == ["file"])
    #expect(server.requests.map(\.rangeStart) == [nil, 100_000])
  }
}
