import Foundation
import FoundationNetworking
import Glibc
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Somebody lays hands on a partial file while a task writes to it.
@Suite(.timeLimit(.minutes(3)))
struct ChangedMeanwhileFaultTests {
  enum Change: CaseIterable, Sendable {
    case cut, lengthened, removed, replaced, folderRemoved

    func make(to path: String) throws {
      switch self {
      case .cut: #expect(truncate(path, 10_000) == 0)
      case .lengthened: #expect(truncate(path, 2_000_000) == 0)
      case .removed: #expect(unlink(path) == 0)
      case .replaced:
        #expect(unlink(path) == 0)
        try Data().write(to: URL(fileURLWithPath: path))
      case .folderRemoved:
        try FileManager.default.removeItem(at: URL(fileURLWithPath: path).deletingLastPathComponent())
      }
    }
  }

  /// A file that was cut used to be delivered with a hole.
  @Test(
    "A partial file that is changed, goes or is replaced meanwhile never becomes a wrong file",
    arguments: [
      (Change.cut, false), (.lengthened, false), (.removed, false), (.replaced, false), (.removed, true),
    ])
  func resumed(change: Change, beforeTheAnswer: Bool) async throws {
    let (halfway, goOn) = (Gate(), Gate())
    let answer = FaultScene.from { start in
      let rest = Answer.partial(of: FaultScene.whole, start..<FaultScene.length, FaultScene.validators)
      return beforeTheAnswer
        ? rest.after(.signal(halfway), .wait(goOn))
        : rest.inserting(.signal(halfway), .wait(goOn), after: 100_000)
    }
    let scene = try FaultScene(then: answer, FaultScene.rest)
    let blob = try await scene.interrupt()
    async let ended = scene.resume(blob)
    try await halfway.opened()
    try change.make(to: try ResumeData(blob).partialURL.path)
    goOn.open()
    let run = try await ended
    run.expect(failure: .cannotMoveFile)
    #expect(run.outcome.error?.underlyingPOSIXCode == Int(ESTALE))
    let again = try await scene.resume(blob)
    #expect(again.requests.map { $0.values("Range") } == [[]])
    again.expect(FaultScene.whole, resumedAt: [0])
  }

  @Test("The same beside a destination: the same call begins anew", arguments: Change.allCases)
  func destination(change: Change) async throws {
    let goOn = Gate()
    let scene = try FaultScene([Self.halfway(goOn), FaultScene.rest])
    let place = try scene.folder.makeFolder("place")
    let delegate = try RecordingDelegate()
    let session = scene.session(delegate)
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: URLRequest(url: scene.server.url()), to: scene.folder.url("place/done"))
    task.resume()
    try await delegate.waitForBytes(500_000, of: task)
    let names = try FileManager.default.contentsOfDirectory(atPath: place)
    try change.make(to: place + "/" + #require(names.first { $0.hasSuffix(".partial") }))
    goOn.open()
    let outcome = try await delegate.completion(of: task)
    #expect(outcome.file == nil && outcome.resumeData == nil)
    #expect(outcome.error?.underlyingPOSIXCode == Int(ESTALE))
    if change == .folderRemoved { try scene.folder.makeFolder("place") }
    let again = try await scene.download(to: "place/done")
    #expect(again.requests.map { $0.values("Range") } == [[]])
    again.expect(FaultScene.whole, resumedAt: [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["done"])
  }

  @Test("A pause after somebody has cut the partial file gives no resume data for what is not there")
  func paused() async throws {
    let goOn = Gate()
    let scene = try FaultScene([Self.halfway(goOn)])
    let delegate = try RecordingDelegate()
    let session = scene.session(delegate)
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: scene.server.url())
    task.resume()
    try await delegate.waitForBytes(500_000, of: task)
    let name = try #require(scene.leftovers.first { $0.hasSuffix(".partial") })
    try Change.cut.make(to: scene.partials.appendingPathComponent(name).path)
    #expect(await task.cancelByProducingResumeData() == nil)
    goOn.open()
    #expect(try await delegate.completion(of: task).urlError?.code == .cancelled)
    #expect(scene.leftovers == [])
  }

  private static func halfway(_ goOn: Gate) -> Answer {
    Answer.ok(FaultScene.whole, FaultScene.validators).inserting(.wait(goOn), after: 500_000)
  }
}
