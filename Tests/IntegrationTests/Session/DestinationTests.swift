import Foundation
import FoundationNetworking
import Glibc
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct DestinationTests {
  @Test("A partial beside the destination is continued by the same call, without resume data")
  func continued() async throws {
    let resource = RangeResource(.init(.generated(seed: 17, count: 300_000)), drops: [.dropAfter(100_000, .hang)])
    let server = try LoopbackServer(handler: resource.answer)
    let folder = try TemporaryFolder("destination")
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let request = URLRequest(url: server.url())
    let task = fixture.session.downloadTask(with: request, to: folder.url("file"))
    task.resume()
    try await fixture.delegate.waitForBytes(100_000, of: task)
    #expect(await task.cancelByProducingResumeData() != nil)
    _ = try await fixture.delegate.completion(of: task)
    #expect(!FileManager.default.fileExists(atPath: folder.path("file")))
    let outcome = try await fixture.run(fixture.session.downloadTask(with: request, to: folder.url("file")))
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
    let folder = try TemporaryFolder("destination")
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: URLRequest(url: server.url()), to: folder.url("file"))
    let outcome = try await fixture.run(task)
    #expect(outcome.urlError?.code == .badServerResponse)
    #expect(outcome.status == status)
    #expect(try folder.contents() == [])
  }

  @Test("A link in the place of the hidden partial is refused")
  func link() async throws {
    let resource = RangeResource(.init(.generated(seed: 18, count: 300_000)), drops: [.dropAfter(100_000, .hang)])
    let server = try LoopbackServer(handler: resource.answer)
    let folder = try TemporaryFolder("destination")
    let other = try TemporaryFolder("other")
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let request = URLRequest(url: server.url())
    let task = fixture.session.downloadTask(with: request, to: folder.url("file"))
    task.resume()
    try await fixture.delegate.waitForBytes(100_000, of: task)
    #expect(await task.cancelByProducingResumeData() != nil)
    let name = try #require(try folder.contents().first { $0.hasSuffix(".partial") })
    try FileManager.default.removeItem(atPath: folder.path(name))
    try other.write(Data("mine".utf8), to: "mine")
    try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: other.path("mine"))
    let error = try await fixture.run(fixture.session.downloadTask(with: request, to: folder.url("file"))).urlError
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
    let folder = try TemporaryFolder("destination")
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let request = URLRequest(url: server.url())
    let first = fixture.session.downloadTask(with: request, to: folder.url("file"))
    first.resume()
    try await fixture.delegate.waitForBytes(100_000, of: first)
    let second = try await fixture.run(fixture.session.downloadTask(with: request, to: folder.url("file")))
    #expect(second.urlError?.code == .cannotOpenFile)
    gate.open()
    let outcome = try await fixture.delegate.completion(of: first)
    #expect(outcome.data == Payload.bytes(seed: 19, count: 300_000))
    #expect(try folder.contents() == [])
  }
}
