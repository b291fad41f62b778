import Foundation
import FoundationNetworking
import Glibc
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Downloads that put their file in its place by themselves.
@Suite(.timeLimit(.minutes(3)))
struct DestinationFaultTests {
  @Test("Nothing has the final name before the file is whole, and the same call goes on")
  func finalName() async throws {
    let scene = try FaultScene(then: FaultScene.rest)
    let failed = try await scene.download(to: "done")
    failed.expect(failure: .networkConnectionLost)
    #expect(try scene.contents.allSatisfy { $0.hasPrefix(".done.") })
    let run = try await scene.download(to: "done")
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange()])
    #expect(try scene.contents == ["done"])
  }

  @Test(
    "Addresses that end alike never share a partial file",
    arguments: ["/v2/m.bin", "/v1/m.bin?x=2", "/v1%2Fm.bin", "/V1/m.bin"])
  func sameName(other: String) async throws {
    let scene = try FaultScene(then: FaultScene.otherRest, FaultScene.rest)
    try await scene.download("/v1/m.bin", to: "m.bin").expect(failure: .networkConnectionLost)
    let second = try await scene.download(other, to: "m.bin")
    #expect(second.requests.map { $0.values("Range") } == [[]])
    second.expect(FaultScene.other, resumedAt: [])
    let first = try await scene.download("/v1/m.bin", to: "m.bin", replacing: true)
    first.expect(FaultScene.whole, resumedAt: [try first.expectRange()])
    #expect(try scene.contents == ["m.bin"])
  }

  @Test("A file that was removed after its download is fetched again")
  func removedAfterwards() async throws {
    let scene = try FaultScene([FaultScene.rest, FaultScene.rest])
    try await scene.download(to: "done").expect(FaultScene.whole, resumedAt: [])
    try FileManager.default.removeItem(at: scene.folder.url("done"))
    let run = try await scene.download(to: "done")
    #expect(run.requests.map { $0.values("Range") } == [[]])
    run.expect(FaultScene.whole, resumedAt: [])
  }

  @Test("A page of an error takes no file's place", arguments: [304, 400, 403, 404, 500], [true, false])
  func errorPage(status: Int, exists: Bool) async throws {
    let scene = try FaultScene([.status(status, Data(count: status == 304 ? 0 : 300))])
    if exists { try scene.folder.write(Data("old".utf8), to: "done") }
    let run = try await scene.download(to: "done", replacing: true)
    #expect(run.outcome.urlError?.code == .badServerResponse)
    #expect(run.outcome.status == status)
    #expect(try scene.contents == (exists ? ["done"] : []))
    if exists { #expect(try Data(contentsOf: scene.folder.url("done")) == Data("old".utf8)) }
  }

  @Test("A place that cannot be taken is told before anything is sent", arguments: ["file", "folder", "missing/x"])
  func takenPlace(name: String) async throws {
    let scene = try FaultScene([FaultScene.rest])
    try scene.folder.write(Data("mine".utf8), to: "file")
    try scene.folder.makeFolder("folder")
    let run = try await scene.download(to: name, replacing: name != "file")
    #expect(run.outcome.urlError?.code == (name == "missing/x" ? .cannotOpenFile : .cannotMoveFile))
    #expect(run.requests.isEmpty)
    #expect(try scene.contents == ["file", "folder"])
    #expect(try Data(contentsOf: scene.folder.url("file")) == Data("mine".utf8))
  }

  @Test("A place that is taken while the file arrives costs nothing: the same call ends it without a request")
  func takenMeanwhile() async throws {
    let (halfway, goOn) = (Gate(), Gate())
    let answer = Answer.ok(FaultScene.whole, FaultScene.validators)
    let scene = try FaultScene([answer.inserting(.signal(halfway), .wait(goOn), after: 500_000)])
    async let ended = scene.download(to: "done", replacing: true)
    try await halfway.opened()
    let place = try scene.folder.makeFolder("done")
    goOn.open()
    let failed = try await ended
    failed.expect(failure: .cannotMoveFile)
    #expect(failed.outcome.resumeData != nil)
    #expect(rmdir(place) == 0)
    let run = try await scene.download(to: "done", replacing: true)
    #expect(run.requests.isEmpty)
    run.expect(FaultScene.whole, resumedAt: [FaultScene.length])
    #expect(try scene.contents == ["done"])
  }

  @Test("A link that leads nowhere counts as something at the destination before anything is sent")
  func danglingLink() async throws {
    let scene = try FaultScene([FaultScene.rest])
    let target = scene.folder.path("nowhere")
    try FileManager.default.createSymbolicLink(atPath: scene.folder.path("file"), withDestinationPath: target)
    let run = try await scene.download(to: "file")
    run.expect(failure: .cannotMoveFile)
    #expect(run.requests.isEmpty)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: scene.folder.path("file")) == target)
    #expect(try scene.contents == ["file"])
  }

  @Test("The partial file is private, the finished one as the umask has it", arguments: ["022", "077"])
  func mode(umask: String) async throws {
    let resource = RangeResource(.init(.data(FaultScene.whole)), drops: [.dropAfter(400_000, .close)])
    let fixture = try CommandFixture(count: FaultScene.length, handler: resource.answer)
    func run() async throws -> ChildProcess.Result {
      try await fixture.startScript("umask \(umask); exec \"$RGET\" --retry=0 \(fixture.address("/done"))").wait()
    }
    func mode(_ name: String) throws -> Int? {
      let attributes = try FileManager.default.attributesOfItem(atPath: fixture.folder.path(name))
      return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
    #expect(try await run().exit == .exited(5))
    let partial = try #require(try fixture.hidden().first { $0.hasSuffix(".partial") })
    #expect(try mode(partial) == 0o600)
    #expect(try await run().isSuccess)
    #expect(try mode("done") == (umask == "022" ? 0o644 : 0o600))
  }
}
