import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// The article "Porting from URLSession" says what is true.
@Suite(.timeLimit(.minutes(3)))
struct PortingArticleTests {
  private static let count: Int64 = 300_000

  private func resource(_ drops: RangeResource.Drop...) -> RangeResource {
    RangeResource(.init(.generated(seed: 30, count: Self.count)), drops: drops)
  }

  @Test("The blocks of the article are the samples that are compiled here, in the same order")
  func blocks() throws {
    let compiled = try ArticleBlocks.compiled(in: "PortingSamples.swift")
    #expect(compiled.count == 9)
    #expect(
      try ArticleBlocks.printed(in: "Sources/ResumableDownloads/ResumableDownloads.docc/PortingFromURLSession.md")
        == compiled)
  }

  @Test("Before and after differ by one word")
  func sessions() throws {
    let delegate = try RecordingDelegate()
    let (before, after) = (sessionBefore(delegate), sessionAfter(delegate))
    #expect(type(of: before) == URLSession.self)
    #expect(before.delegate === delegate && after.delegate === delegate)
    before.invalidateAndCancel()
    after.invalidateAndCancel()
  }

  @Test("The class pauses into resume data and goes on to the whole file")
  func film() async throws {
    let resource = resource(.dropAfter(100_000, .hang))
    let server = try LoopbackServer(handler: resource.answer)
    let folder = try TemporaryFolder("film")
    let film = Film(place: folder.url("film"))
    let ends = Observed<[URLError.Code?]>([])
    let url = server.url()
    await MainActor.run {
      film.onEnd = { error in ends.update { $0.append((error as? URLError)?.code) } }
      film.start(url)
    }
    try await server.waitForRequests(1)
    // Resume data exists from the first byte on; a pause before it would end the download for good.
    let session = await MainActor.run { film.session }
    let task = try #require(await session.tasks.2.first as? DownloadTask)
    for try await event in task.events where event == .progress(written: 100_000, expected: Self.count) { break }
    await MainActor.run { film.pause() }
    #expect(try await ends.wait(for: "the pause") { $0.count == 1 } == [.cancelled])
    await MainActor.run { film.goOn() }
    #expect(try await ends.wait(for: "the end") { $0.count == 2 } == [.cancelled, nil])
    #expect(try Payload.verify(file: folder.path("film"), seed: 30, count: Self.count) == nil)
    #expect(server.requests.map(\.rangeStart) == [nil, 100_000])
    session.invalidateAndCancel()
  }

  @Test("The async function goes on after a lost connection")
  func fetching() async throws {
    let resource = resource(.dropAfter(100_000))
    let server = try LoopbackServer(handler: resource.answer)
    let session = DownloadSession(configuration: .default)
    defer { session.invalidateAndCancel() }
    let file = try await fetch(server.url(), with: session)
    #expect(try Payload.verify(file: file.path, seed: 30, count: Self.count) == nil)
    try FileManager.default.removeItem(at: file)
    #expect(server.requests.map(\.rangeStart) == [nil, 100_000])
  }

  @Test("A variable of type URLSession reaches FoundationNetworking's async download, one of type DownloadSession ours")
  func trap() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let (session, file) = try await reachFoundation(server.url())
    let (ours, other) = try await reachThisPackage(server.url())
    for url in [file, other] {
      #expect(try Data(contentsOf: url) == Data("x".utf8))
      try FileManager.default.removeItem(at: url)
    }
    session.invalidateAndCancel()
    ours.invalidateAndCancel()
    // Only ours asks for a body that can be continued.
    #expect(server.requests.map { $0.value("Accept-Encoding") == "identity" } == [false, true])
  }

  @Test("A delegate of unknown type reaches ours by the form with options, and hears of the task")
  func unknownDelegate() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let session = DownloadSession(configuration: .default)
    defer { session.invalidateAndCancel() }
    let delegate = try RecordingDelegate()
    let file = try await fetch(server.url(), with: session, telling: delegate)
    #expect(try Data(contentsOf: file) == Data("x".utf8))
    try FileManager.default.removeItem(at: file)
    #expect(server.requests.map { $0.value("Accept-Encoding") } == ["identity"])
  }

  @Test("The watcher can be a session's delegate")
  func watcher() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let session = DownloadSession(configuration: .default, delegate: Watcher(), delegateQueue: nil)
    let task = session.downloadTask(with: server.url())
    task.resume()
    for try await _ in task.events {}
    session.finishTasksAndInvalidate()
    #expect(task.error == nil)
  }

  @Test("The download to a place ends there")
  func keeping() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let folder = try TemporaryFolder("place")
    let session = DownloadSession(configuration: .default)
    defer { session.invalidateAndCancel() }
    try await keep(server.url(), at: folder.url("file"), with: session)
    #expect(try Data(contentsOf: folder.url("file")) == Data("x".utf8))
  }
}
