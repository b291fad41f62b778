import Foundation
import FoundationNetworking
import Glibc
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct StorageFailureTests {
  @Test("Resume data that is none fails with -1002 and sends nothing")
  func garbage() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let texts = ["", "x", "{}", "{\"url\": \"\(server.url())\"}", "bplist00"]
    for data in texts.map({ Data($0.utf8) }) + [Payload.bytes(seed: 14, count: 5000)] {
      let task = fixture.session.downloadTask(withResumeData: data)
      let outcome = try await fixture.run(task)
      #expect(outcome.urlError?.code.rawValue == -1002)
      #expect(task.originalRequest == nil)
      #expect(fixture.delegate.orderViolations(for: task) == [])
    }
    #expect(server.requests.isEmpty)
  }

  @Test("Other schemes fail with -1002", arguments: ["ftp://127.0.0.1/file", "file:///etc/hostname", "data:,x"])
  func scheme(address: String) async throws {
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: try #require(URL(string: address)))
    #expect(try await fixture.run(task).urlError?.code.rawValue == -1002)
    #expect(fixture.kept == [])
  }

  @Test("A folder for partials that others may use is refused, with the POSIX error underneath")
  func sharedFolder() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let folder = try TemporaryFolder("shared")
    chmod(folder.path, 0o777)
    let fixture = try SessionFixture(partials: folder.url)
    defer { fixture.session.invalidateAndCancel() }
    let error = try await fixture.run(fixture.session.downloadTask(with: server.url())).urlError
    #expect(error?.code == .cannotOpenFile)
    #expect(error?.underlyingPOSIXCode != nil)
    #expect(try folder.contents() == [])
  }

  @Test("A folder for partials that cannot be made gives a URLError with the POSIX error underneath")
  func impossibleFolder() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let folder = try TemporaryFolder("impossible")
    try folder.write(Data(), to: "file")
    let fixture = try SessionFixture(partials: folder.url("file/kept"))
    defer { fixture.session.invalidateAndCancel() }
    let error = try await fixture.run(fixture.session.downloadTask(with: server.url())).urlError
    #expect(error?.code == .cannotCreateFile)
    #expect(error?.underlyingPOSIXCode == Int(ENOTDIR))
  }

  @Test("A symbolic link in the place of the partial is refused and its target stays as it was")
  func link() async throws {
    let server = try LoopbackServer.stalling(seed: 15)
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url())
    try await fixture.start(task, until: 100_000)
    let data = try #require(await task.cancelByProducingResumeData())
    let name = try #require(fixture.kept.first { $0.hasSuffix(".partial") })
    let target = fixture.partials.path("target")
    let place = fixture.partials.path("kept/\(name)")
    try FileManager.default.moveItem(atPath: place, toPath: target)
    try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: target)
    let before = try Data(contentsOf: URL(fileURLWithPath: target))
    let error = try await fixture.run(fixture.session.downloadTask(withResumeData: data)).urlError
    #expect(error?.code == .cannotOpenFile)
    #expect(error?.underlyingPOSIXCode != nil)
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == before)
    #expect(server.requests.count == 1)
  }

  @Test(
    "A full disk fails with resume data that works once there is room",
    .enabled(if: SmallDisk.isPossible, "needs root"))
  func fullDisk() async throws {
    // Without a length the space cannot be reserved, so the disk is full in the middle.
    let count: Int64 = 1_500_000
    let content = Content.generated(seed: 16, count: count)
    let resource = RangeResource(.init(content))
    let chunks = stride(from: 0, to: count, by: 50_000).map { content.bytes($0..<$0 + 50_000) }
    let server = try LoopbackServer { request in
      request.number == 1
        ? .chunked(chunks, [("ETag", "\"a1\""), ("Accept-Ranges", "bytes")]) : resource.answer(request)
    }
    let folder = try TemporaryFolder("disk")
    let disk = try await SmallDisk.mount(on: folder.makeFolder("disk"), size: "600k")
    let fixture = try SessionFixture(partials: folder.url("disk/kept"))
    defer { fixture.session.invalidateAndCancel() }
    let outcome = try await fixture.run(fixture.session.downloadTask(with: server.url()))
    #expect(outcome.urlError?.code.rawValue == -3003)
    #expect(outcome.error?.underlyingPOSIXCode == Int(ENOSPC))
    let data = try #require(outcome.resumeData)
    try await disk.resize("4m")
    let second = try await fixture.run(fixture.session.downloadTask(withResumeData: data))
    #expect(second.error == nil)
    #expect(second.data == content.bytes(0..<count))
    #expect(server.requests.count == 2)
    #expect((server.requests.last?.rangeStart ?? 0) > 0)
    try await disk.unmount()
  }
}
