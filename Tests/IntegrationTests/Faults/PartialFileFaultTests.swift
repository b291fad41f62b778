import Foundation
import FoundationNetworking
import Glibc
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Partial files that are not where they were, or not what they were.
@Suite(.timeLimit(.minutes(3)))
struct PartialFileFaultTests {
  @Test("A partial file is found in the folder that is configured, when that has got another name")
  func folderRenamed() async throws {
    let scene = try FaultScene(then: FaultScene.rest)
    let blob = try await scene.interrupt()
    let moved = scene.folder.url("moved")
    try FileManager.default.moveItem(at: scene.partials, to: moved)
    let delegate = try RecordingDelegate()
    let configuration = URLSessionConfiguration.default
    configuration.partialsDirectory = moved
    let session = DownloadSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(withResumeData: blob)
    task.resume()
    let outcome = try await delegate.completion(of: task)
    #expect(outcome.data == FaultScene.whole)
    #expect(outcome.resumeOffsets == [try ResumeData(blob).byteOffset])
    #expect(!FileManager.default.fileExists(atPath: scene.partials.path))
  }

  @Test("A folder that was emptied is a download from the start", arguments: [true, false])
  func folderEmptied(isRemoved: Bool) async throws {
    let scene = try FaultScene(then: FaultScene.rest)
    let blob = try await scene.interrupt()
    let files = FileManager.default
    try await EditedPartial(blob).settle()
    for name in scene.leftovers { try files.removeItem(at: scene.partials.appendingPathComponent(name)) }
    if isRemoved { try files.removeItem(at: scene.partials) }
    let run = try await scene.resume(blob)
    #expect(run.requests.map { $0.values("Range") } == [[]])
    run.expect(FaultScene.whole, resumedAt: [0])
  }

  @Test(
    "What is no file of ours in the partial's place is refused and left alone",
    // Only root can give a file to somebody else.
    arguments: 0..<(getuid() == 0 ? 4 : 3))
  func foreign(kind: Int) async throws {
    let scene = try FaultScene(then: FaultScene.rest)
    let blob = try await scene.interrupt()
    let path = try ResumeData(blob).partialURL.path
    let victim = try scene.folder.write(FaultScene.other, to: "victim")
    if kind < 3 { #expect(unlink(path) == 0) }
    switch kind {
    case 0: #expect(mkdir(path, 0o700) == 0)
    case 1: #expect(link(victim, path) == 0)
    case 2: #expect(mkfifo(path, 0o600) == 0)
    default: #expect(chown(path, 65_534, 65_534) == 0)
    }
    let run = try await scene.resume(blob)
    run.expect(failure: .cannotOpenFile)
    #expect(run.requests.isEmpty)
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(try Data(contentsOf: URL(fileURLWithPath: victim)) == FaultScene.other)
  }

  @Test("After a power cut only what was synced counts, whatever the file holds behind it")
  func powerCut() async throws {
    let scene = try FaultScene(then: FaultScene.rest)
    let partial = try EditedPartial(try await scene.interrupt())
    try await partial.settle()
    let kept = try ResumeData(partial.blob()).byteOffset
    let synced = kept - 65_536
    try partial.write(FaultScene.whole.prefix(Int(synced)) + Data(count: 65_536))
    try partial.change {
      $0["syncedOffset"] = synced
      $0["bootIdentifier"] = "another"
    }
    let run = try await scene.resume(try partial.blob())
    #expect(run.requests.map(\.rangeStart) == [synced])
    run.expect(FaultScene.whole, resumedAt: [synced])
  }

  @Test("A journal that a power cut has spoilt is as good as none", arguments: [0, 10, 4_096])
  func spoiltJournal(size: Int) async throws {
    let scene = try FaultScene(then: FaultScene.rest)
    let blob = try await scene.interrupt()
    let partial = try EditedPartial(blob)
    try await partial.settle()
    let bytes = size == 10 ? try partial.blob().prefix(10) : Data(count: size)
    try bytes.write(to: URL(fileURLWithPath: partial.journal))
    let run = try await scene.resume(blob)
    #expect(run.requests.map { $0.values("Range") } == [[]])
    run.expect(FaultScene.whole, resumedAt: [0])
  }

  @Test("What lies behind the recorded end of a partial file is cut off")
  func surplus() async throws {
    let scene = try FaultScene(then: FaultScene.rest)
    let blob = try await scene.interrupt()
    let kept = try ResumeData(blob).byteOffset
    try EditedPartial(blob).write(FaultScene.whole.prefix(Int(kept)) + Payload.bytes(seed: 3, count: 65_536))
    let run = try await scene.resume(blob)
    #expect(run.requests.map(\.rangeStart) == [kept])
    run.expect(FaultScene.whole, resumedAt: [kept])
  }

  @Test("A partial file beside its destination is not continued without its journal")
  func withoutJournal() async throws {
    let scene = try FaultScene(then: FaultScene.rest)
    let blob = try #require(try await scene.download(to: "done").outcome.resumeData)
    let partial = try EditedPartial(blob)
    try await partial.settle()
    try FileManager.default.removeItem(atPath: partial.journal)
    try partial.write(FaultScene.other.prefix(400_000))
    let run = try await scene.download(to: "done")
    #expect(run.requests.map { $0.values("Range") } == [[]])
    run.expect(FaultScene.whole, resumedAt: [])
    #expect(try scene.contents == ["done"])
  }

  @Test("A journal that is none of ours is neither followed nor removed")
  func foreignJournal() async throws {
    let scene = try FaultScene(then: FaultScene.rest)
    let partial = try EditedPartial(try #require(try await scene.download(to: "done").outcome.resumeData))
    try await partial.settle()
    let note = Data("a note of the user".utf8)
    try note.write(to: URL(fileURLWithPath: partial.journal))
    let run = try await scene.download(to: "done")
    run.expect(failure: .cannotOpenFile)
    #expect(run.requests.isEmpty)
    #expect(try partial.blob() == note)
  }
}
