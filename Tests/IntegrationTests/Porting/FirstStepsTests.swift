import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// The first code that people see is what is compiled here, and works.
@Suite(.timeLimit(.minutes(3)))
struct FirstStepsTests {
  private static let count: Int64 = 300_000
  private static let article = "Sources/ResumableDownloads/ResumableDownloads.docc/GettingStarted.md"

  private func stalling() throws -> LoopbackServer {
    let resource = RangeResource(
      .init(.generated(seed: 31, count: Self.count)), drops: [.dropAfter(100_000, .hang)])
    return try LoopbackServer(handler: resource.answer)
  }

  @Test("The blocks of the article and of the README are the samples")
  func blocks() throws {
    #expect(try ArticleBlocks.printed(in: Self.article) == ArticleBlocks.compiled(in: "GettingStartedSamples.swift"))
    let paragraphs = try ArticleBlocks.compiled(in: "ReadmeSamples.swift").joined(separator: "\n\n")
    #expect(try ArticleBlocks.printed(in: "README.md").first == paragraphs)
  }

  @Test("The README's download is paused into a file and goes on")
  func readme() async throws {
    let server = try stalling()
    let folder = try TemporaryFolder("readme")
    let delegate = try RecordingDelegate()
    let (session, task) = readmeStart(server.url(), delegate)
    defer { session.invalidateAndCancel() }
    try await delegate.waitForBytes(100_000, of: task)
    try await readmePause(task, folder.url("saved"))
    #expect(try describe(Data(contentsOf: folder.url("saved"))) == "100000 of \(Self.count) bytes of \(server.url())")
    try readmeContinue(session, folder.url("saved"))
    let outcome = try await delegate.completion(ofTask: task.taskIdentifier + 1)
    #expect(try Payload.verify(file: #require(outcome.file).path, seed: 31, count: Self.count) == nil)
    #expect(server.requests.map(\.rangeStart) == [nil, 100_000])
  }

  @Test("A file comes to its place, and a task pauses into a file and goes on")
  func gettingStarted() async throws {
    let folder = try TemporaryFolder("start")
    let whole = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    try await fetch(whole.url(), to: folder.url("file"))
    #expect(try Data(contentsOf: folder.url("file")) == Data("x".utf8))
    let server = try stalling()
    let session = patientSession()
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: server.url())
    task.resume()
    for try await event in task.events where event == .progress(written: 100_000, expected: Self.count) { break }
    try await pause(task, into: folder.url("saved"))
    let second = try goOn(from: folder.url("saved"), in: session)
    var file: URL?
    for try await event in second.events { if case .finished(let place) = event { file = place } }
    #expect(try Payload.verify(file: #require(file).path, seed: 31, count: Self.count) == nil)
    try FileManager.default.removeItem(at: #require(file))
  }
}
