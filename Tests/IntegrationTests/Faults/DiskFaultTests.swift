import Foundation
import FoundationNetworking
import Glibc
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Disks that are small, full or another one.
@Suite(.timeLimit(.minutes(3)))
struct DiskFaultTests {
  private static let count: Int64 = 6 << 20

  private func server(_ drops: RangeResource.Drop...) throws -> LoopbackServer {
    let resource = RangeResource(.init(.generated(seed: 21, count: Self.count)))
    for drop in drops { resource.drop(drop) }
    return try LoopbackServer(handler: resource.answer)
  }

  @Test("A download goes on where there is room for what is missing", .enabled(if: SmallDisk.isPossible, "needs root"))
  func roomForTheRest() async throws {
    let server = try server(.dropAfter(4 << 20, .close))
    // Twice the file would not fit.
    let folder = try TemporaryFolder("disk")
    let disk = try await SmallDisk.mount(on: folder.makeFolder("disk"), size: "8m")
    let fixture = try SessionFixture(partials: folder.url("disk/kept"))
    defer { fixture.session.invalidateAndCancel() }
    let failed = try await fixture.run(fixture.session.downloadTask(with: server.url()))
    let data = try #require(failed.resumeData)
    let outcome = try await fixture.run(fixture.session.downloadTask(withResumeData: data))
    #expect(outcome.error == nil)
    #expect(server.requests.map(\.rangeStart) == [nil, 4 << 20])
    #expect(try Payload.verify(file: #require(outcome.file).path, seed: 21, count: Self.count) == nil)
    try await disk.unmount()
  }

  @Test(
    "A disk that is too small for the file says so before the body", .enabled(if: SmallDisk.isPossible, "needs root"))
  func tooSmall() async throws {
    let server = try server()
    let folder = try TemporaryFolder("disk")
    let disk = try await SmallDisk.mount(on: folder.makeFolder("disk"), size: "3m")
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: URLRequest(url: server.url()), to: folder.url("disk/done"))
    let outcome = try await fixture.run(task)
    #expect(outcome.urlError?.code.rawValue == -3003)
    #expect(outcome.error?.underlyingPOSIXCode == Int(ENOSPC))
    #expect(task.countOfBytesReceived == 0)
    #expect(try folder.contents() == ["disk"])
    try await disk.unmount()
  }

  @Test(
    "A folder that cannot be written to is an error, and costs no body",
    .enabled(if: SmallDisk.isPossible, "needs root"))
  func readOnly() async throws {
    let server = try server()
    let folder = try TemporaryFolder("disk")
    let disk = try await SmallDisk.mount(on: folder.makeFolder("disk"), size: "1m")
    try await disk.makeReadOnly()
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: URLRequest(url: server.url()), to: folder.url("disk/done"))
    let outcome = try await fixture.run(task)
    #expect(outcome.urlError?.code == .cannotCreateFile)
    #expect(outcome.error?.underlyingPOSIXCode == Int(EROFS))
    #expect(task.countOfBytesReceived == 0)
    try await disk.unmount()
  }

  @Test(
    "Where the destination turns out to be another file system the file is copied, and kept if that fails",
    .enabled(if: SmallDisk.isPossible, "needs root"), arguments: [true, false])
  func destinationElsewhere(hasRoom: Bool) async throws {
    let (halfway, goOn) = (Gate(), Gate())
    let answer = Answer.ok(FaultScene.whole, FaultScene.validators)
    let scene = try FaultScene([answer.inserting(.signal(halfway), .wait(goOn), after: 500_000)])
    let place = try scene.folder.makeFolder("place")
    async let ended = scene.download(to: "place/done")
    try await halfway.opened()
    // From here on the path leads to another disk than the one that the partial file lies on.
    let disk = try await SmallDisk.mount(on: place, size: hasRoom ? "4m" : "600k")
    goOn.open()
    let run = try await ended
    let shown = try FileManager.default.contentsOfDirectory(atPath: place)
    if hasRoom {
      run.expect(FaultScene.whole, resumedAt: [])
      #expect(shown == ["done"])
      try await disk.unmount()
    } else {
      run.expect(failure: .cannotWriteToFile)
      #expect(run.outcome.error?.underlyingPOSIXCode == Int(ENOSPC))
      #expect(shown == [])
      try await disk.unmount()
      let again = try await scene.download(to: "place/done")
      #expect(again.requests.isEmpty)
      again.expect(FaultScene.whole, resumedAt: [FaultScene.length])
    }
    #expect(try scene.contents == (hasRoom ? ["place"] : ["place", "place/done"]))
  }

  @Test(
    "A delegate can move its file to another file system",
    .enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm"), "there is no /dev/shm"))
  func otherFileSystem() async throws {
    let server = try server()
    let partials = "/dev/shm/\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: partials) }
    let fixture = try SessionFixture(partials: URL(fileURLWithPath: partials))
    defer { fixture.session.invalidateAndCancel() }
    let outcome = try await fixture.run(fixture.session.downloadTask(with: server.url()))
    #expect(outcome.faults == [])
    #expect(outcome.temporaryFile?.path.hasPrefix(partials) == true)
    #expect(try Payload.verify(file: #require(outcome.file).path, seed: 21, count: Self.count) == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: partials).filter { $0 != ".lock" } == [])
  }

  @Test(
    "A small temporary folder does not limit a command that saves elsewhere",
    .enabled(if: SmallDisk.isPossible, "needs root"))
  func smallTemporaryFolder() async throws {
    let fixture = try CommandFixture(count: Self.count)
    let folder = try TemporaryFolder("disk")
    let disk = try await SmallDisk.mount(on: folder.makeFolder("disk"), size: "600k")
    let result = try await fixture.run(
      [fixture.address("/file.bin")], environment: ["TMPDIR": disk.path])
    #expect(result.isSuccess, "\(result.errorText)")
    #expect(try fixture.difference(in: "file.bin") == nil)
    #expect(try folder.contents() == ["disk"])
    try await disk.unmount()
  }
}
