import Foundation
import FoundationNetworking
import Glibc
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct DestinationTests {
  /// A session, and tasks for one place in a folder of its own.
  private struct Scene {
    let folder: TemporaryFolder
    let fixture: SessionFixture
    let url: URL

    init(_ server: LoopbackServer) throws {
      folder = try TemporaryFolder("destination")
      fixture = try SessionFixture()
      url = server.url()
    }

    func task() -> DownloadTask { fixture.session.downloadTask(with: URLRequest(url: url), to: folder.url("file")) }

    func end() { fixture.session.invalidateAndCancel() }
  }

  @Test("A partial beside the destination is continued by the same call, without resume data")
  func continued() async throws {
    let server = try LoopbackServer.stalling(seed: 17)
    let scene = try Scene(server)
    defer { scene.end() }
    let (fixture, folder, task) = (scene.fixture, scene.folder, scene.task())
    try await fixture.start(task, until: 100_000)
    #expect(await task.cancelByProducingResumeData() != nil)
    _ = try await fixture.delegate.completion(of: task)
    #expect(!FileManager.default.fileExists(atPath: folder.path("file")))
    let outcome = try await fixture.run(scene.task())
    #expect(outcome.error == nil)
    #expect(outcome.temporaryFile?.path == folder.path("file"))
    #expect(outcome.resumeOffsets == [100_000])
    #expect(outcome.data == Payload.bytes(seed: 17, count: 300_000))
    #expect(try folder.contents() == [])
  }

  @Test("A file that exists is kept or replaced, as asked", arguments: [true, false])
  func existing(replacing: Bool) async throws {
    let server = try LoopbackServer { _ in .ok(Data("new".utf8)) }
    let folder = try TemporaryFolder("destination")
    try folder.write(Data("old".utf8), to: "file")
    let session = DownloadSession(configuration: .default)
    defer { session.invalidateAndCancel() }
    let delegate = try RecordingDelegate(keeping: .leave)
    let task = session.downloadTask(
      with: URLRequest(url: server.url()), to: folder.url("file"), replacingExisting: replacing)
    task.delegate = delegate
    task.resume()
    let outcome = try await delegate.completion(of: task)
    #expect(outcome.urlError?.code == (replacing ? nil : .cannotMoveFile))
    #expect(try Data(contentsOf: folder.url("file")) == Data((replacing ? "new" : "old").utf8))
    #expect(try folder.contents() == ["file"])
    #expect(server.requests.count == (replacing ? 1 : 0))
  }

  @Test("A bad status is an error and leaves nothing", arguments: [404, 503])
  func badStatus(status: Int) async throws {
    let server = try LoopbackServer { _ in .status(status, Data("no".utf8)) }
    let scene = try Scene(server)
    defer { scene.end() }
    let outcome = try await scene.fixture.run(scene.task())
    #expect(outcome.urlError?.code == .badServerResponse)
    #expect(outcome.status == status)
    #expect(try scene.folder.contents() == [])
  }

  @Test("A link in the place of the hidden partial is refused")
  func link() async throws {
    let server = try LoopbackServer.stalling(seed: 18)
    let other = try TemporaryFolder("other")
    let scene = try Scene(server)
    defer { scene.end() }
    let (fixture, folder, task) = (scene.fixture, scene.folder, scene.task())
    try await fixture.start(task, until: 100_000)
    #expect(await task.cancelByProducingResumeData() != nil)
    let name = try #require(try folder.contents().first { $0.hasSuffix(".partial") })
    try FileManager.default.removeItem(atPath: folder.path(name))
    try other.write(Data("mine".utf8), to: "mine")
    try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: other.path("mine"))
    let error = try await fixture.run(scene.task()).urlError
    #expect(error?.code == .cannotOpenFile)
    #expect(error?.underlyingPOSIXCode == Int(EPERM))
    #expect(try Data(contentsOf: other.url("mine")) == Data("mine".utf8))
    #expect(server.requests.count == 1)
  }

  @Test("Two tasks for one destination: one gets it, the other is told")
  func twice() async throws {
    let gate = Gate()
    let resource = RangeResource(.init(.generated(seed: 19, count: 300_000)))
    let server = try LoopbackServer { resource.answer($0).inserting(.wait(gate), after: 100_000) }
    let scene = try Scene(server)
    defer { scene.end() }
    let (fixture, folder, first) = (scene.fixture, scene.folder, scene.task())
    try await fixture.start(first, until: 100_000)
    let second = try await fixture.run(scene.task())
    #expect(second.urlError?.code == .cannotOpenFile)
    gate.open()
    let outcome = try await fixture.delegate.completion(of: first)
    #expect(outcome.data == Payload.bytes(seed: 19, count: 300_000))
    #expect(try folder.contents() == [])
  }
}
