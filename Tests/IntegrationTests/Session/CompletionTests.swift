import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct CompletionTests {
  /// What a completion handler got, and the file's content while it ran.
  private struct Got: Sendable {
    var file: URL?
    var data: Data?
    var response: URLResponse?
    var error: (any Error)?

    init(_ file: URL?, _ response: URLResponse?, _ error: (any Error)?) {
      (self.file, self.response, self.error) = (file, response, error)
      data = file.flatMap { try? Data(contentsOf: $0) }
    }
  }

  private func run(_ make: (@escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void) -> DownloadTask)
    async throws -> Got
  {
    let got = Observed<[Got]>([])
    let task = make { file, response, error in got.update { $0.append(Got(file, response, error)) } }
    task.resume()
    let all = try await got.wait(for: "the handler") { !$0.isEmpty }
    #expect(all.count == 1)
    return all[0]
  }

  @Test("A handler gets the file, which is gone once it has returned, and the delegate hears nothing")
  func handlerSuccess() async throws {
    let body = Payload.bytes(seed: 5, count: 400_000)
    let server = try LoopbackServer { _ in .ok(body) }
    let fixture = try SessionFixture()
    let got = try await run { fixture.session.downloadTask(with: server.url(), completionHandler: $0) }
    #expect(got.data == body)
    #expect((got.response as? HTTPURLResponse)?.statusCode == 200)
    #expect(got.error == nil)
    fixture.session.finishTasksAndInvalidate()
    try await fixture.delegate.invalidated()
    #expect(!FileManager.default.fileExists(atPath: try #require(got.file).path))
    #expect(fixture.kept == [])
    #expect(fixture.delegate.events.map(\.event) == [.invalidated])
  }

  @Test("A handler's failure has the response if there was one")
  func handlerFailure() async throws {
    let server = try LoopbackServer { request in
      request.path == "/none" ? Answer([.close]) : .ok(Data(count: 100)).cut(after: 10, .close)
    }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let none = try await run { fixture.session.downloadTask(with: server.url("/none"), completionHandler: $0) }
    #expect(none.file == nil && none.response == nil)
    #expect((none.error as? URLError)?.code == .networkConnectionLost)
    let short = try await run {
      fixture.session.downloadTask(with: URLRequest(url: server.url("/short")), completionHandler: $0)
    }
    #expect(short.file == nil)
    #expect((short.response as? HTTPURLResponse)?.statusCode == 200)
    #expect((short.error as? URLError)?.code == .networkConnectionLost)
  }

  /// Downloads the first part of the resource and returns resume data.
  private func interrupted(_ fixture: SessionFixture, _ server: LoopbackServer) async throws -> Data {
    let task = fixture.session.downloadTask(with: server.url())
    try await fixture.start(task, until: 100_000)
    return try #require(await task.cancelByProducingResumeData())
  }

  @Test("Resume data works with a handler and with the async form")
  func resumed() async throws {
    let resource = RangeResource(.init(.generated(seed: 6, count: 300_000)))
    resource.drop(.dropAfter(100_000, .hang), .dropAfter(50_000, .hang))
    let server = try LoopbackServer(handler: resource.answer)
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let data = try await interrupted(fixture, server)
    let task = fixture.session.downloadTask(withResumeData: data)
    try await fixture.start(task, until: 150_000)
    let second = try #require(await task.cancelByProducingResumeData())
    let session: URLSession = fixture.session
    let (file, response) = try await session.download(resumeFrom: second)
    #expect((response as? HTTPURLResponse)?.statusCode == 206)
    #expect(try Payload.verify(file: file.path, seed: 6, count: 300_000) == nil)
    try FileManager.default.removeItem(at: file)

    resource.drop(.dropAfter(100_000, .hang))
    let third = try await interrupted(fixture, server)
    let got = try await run { fixture.session.downloadTask(withResumeData: third, completionHandler: $0) }
    #expect(got.data == Payload.bytes(seed: 6, count: 300_000))
    #expect(server.requests.map(\.rangeStart) == [nil, 100_000, 150_000, nil, 100_000])
  }

  @Test("A session of another kind refuses resume data")
  func foreignSession() async throws {
    let error = await #expect(throws: URLError.self) {
      _ = try await URLSession.shared.download(resumeFrom: Data("x".utf8))
    }
    #expect(error?.code == .unsupportedURL)
  }

  @Test("The async forms return the file to keep, or throw")
  func asyncForms() async throws {
    let body = Payload.bytes(seed: 7, count: 10_000)
    let server = try LoopbackServer { $0.path == "/none" ? Answer([.close]) : .ok(body) }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let (file, _) = try await fixture.session.download(for: URLRequest(url: server.url()))
    #expect(try Data(contentsOf: file) == body)
    try FileManager.default.removeItem(at: file)
    let error = await #expect(throws: URLError.self) {
      _ = try await fixture.session.download(from: server.url("/none"))
    }
    #expect(error?.code == .networkConnectionLost)
    #expect(fixture.delegate.events == [])
  }

  @Test("Cancelling the Swift task throws resume data that continues")
  func asyncCancellation() async throws {
    let server = try LoopbackServer.stalling(seed: 8)
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let created = Observed<URLSessionDownloadTask?>(nil)
    let running = Task { try await fixture.session.download(from: server.url()) }
    try await server.waitForRequests(1)
    fixture.session.getTasksWithCompletionHandler { _, _, tasks in created.update { $0 = tasks.first } }
    let task = try #require(try await created.wait(for: "the task") { $0 != nil })
    try await eventually("100,000 bytes") { task.countOfBytesReceived == 100_000 }
    running.cancel()
    let error = await #expect(throws: URLError.self) { _ = try await running.value }
    #expect(error?.code == .cancelled)
    let data = try #require(error?.downloadTaskResumeData)
    let (file, _) = try await fixture.session.download(resumeFrom: data)
    #expect(try Payload.verify(file: file.path, seed: 8, count: 300_000) == nil)
    try FileManager.default.removeItem(at: file)
    #expect(server.requests.map(\.rangeStart) == [nil, 100_000])
  }
}
