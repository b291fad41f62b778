import Foundation
import FoundationNetworking
import LoopbackServer
import TestSupport
import Testing

@testable import ResumableDownloads

/// What waits for the disk is held back, as a slow one does: the download in question waits, and nothing else.
@Suite(.timeLimit(.minutes(3)))
struct SlowDiskTests {
  private static let count: Int64 = 3 << 20
  private static let mebibyte: Int64 = 1 << 20
  private static let old = RangeResource.Version(.generated(seed: 41, count: count), entityTag: "\"o1\"")
  private static let new = RangeResource.Version(.generated(seed: 42, count: count), entityTag: "\"n1\"")

  private let fixture: SessionFixture
  private let folder: TemporaryFolder
  private let resource: RangeResource
  private let server: LoopbackServer

  init() throws {
    fixture = try SessionFixture()
    folder = try TemporaryFolder("slow")
    let resource = RangeResource(Self.old)
    self.resource = resource
    let small = Answer.ok(Data("small".utf8))
    server = try LoopbackServer { $0.path == "/small" ? small : resource.answer($0) }
  }

  @Test("A new file beside its destination gets no byte before its name is on the disk, and holds up no other")
  func newFile() async throws {
    let (task, hold) = try await waitForDisk()
    #expect(task.countOfBytesReceived == 0)
    hold.release()
    try expectFile(try await fixture.delegate.completion(of: task), seed: 41)
  }

  @Test("A download that is cancelled while it waits for the disk leaves nothing", arguments: [true, false])
  func cancelled(producingResumeData: Bool) async throws {
    let (task, hold) = try await waitForDisk()
    async let data = producingResumeData ? task.cancelByProducingResumeData() : nil
    if !producingResumeData { task.cancel() }
    try await expectOthersRun()
    hold.release()
    #expect(await data == nil)
    #expect(try await fixture.delegate.completion(of: task).urlError?.code == .cancelled)
    #expect(try folder.contents() == [])
  }

  @Test("A connection that is lost while its download waits for the disk is an error like any other")
  func lost() async throws {
    resource.drop(.dropAfter(0))
    let (task, hold) = try await waitForDisk()
    hold.release()
    #expect(try await fixture.delegate.completion(of: task).urlError?.code == .networkConnectionLost)
    #expect(try folder.contents() == [])
  }

  @Test("A new version takes the place of the old one when the disk is ready, and holds up no other")
  func newVersion() async throws {
    let (task, hold) = try await waitForPlace()
    try await expectOthersRun()
    let received = task.countOfBytesReceived
    try await expectOthersRun()
    #expect(received < Self.count && task.countOfBytesReceived == received)
    hold.release()
    let outcome = try await fixture.delegate.completion(of: task)
    #expect(outcome.resumeOffsets == [0])
    try expectFile(outcome, seed: 42)
    #expect(fixture.kept == [])
  }

  @Test("A pause while a new version waits for its place gives resume data for the new one")
  func newVersionPaused() async throws {
    let (task, hold) = try await waitForPlace()
    async let data = task.cancelByProducingResumeData()
    try await expectOthersRun()
    hold.release()
    let kept = try #require(await data)
    #expect(try ResumeData(kept).entityTag == "\"n1\"")
    let offset = try ResumeData(kept).byteOffset
    #expect(offset >= Self.mebibyte)
    let again = try await fixture.run(fixture.session.downloadTask(withResumeData: kept))
    #expect(again.resumeOffsets == [offset])
    try expectFile(again, seed: 42)
    #expect(fixture.kept == [])
  }

  @Test("Synced bytes that a server sends once more are cut off when the disk knows, and that holds up no other")
  func overlap() async throws {
    resource.drop(.dropAfter(2 * Self.mebibyte, .hang))
    let first = fixture.session.downloadTask(with: server.url("/file"))
    first.resume()
    try await fixture.delegate.waitForBytes(2 * Self.mebibyte, of: first)
    await withCheckedContinuation { continuation in fixture.session.flush { continuation.resume() } }
    let blob = try #require(await first.cancelByProducingResumeData())
    let path = try ResumeData(blob).partialURL.path
    let aligned = try LoopbackServer { _ in
      .partial(of: Self.old.content, Self.mebibyte..<Self.count, [("ETag", "\"o1\"")])
    }
    let moved = try ResumeData(blob).replacingRequest(URLRequest(url: aligned.url("/file"))).encoded
    let hold = HeldQueue(fixture.session.coordinator.orderQueue)
    let task = fixture.session.downloadTask(withResumeData: moved)
    task.resume()
    try await aligned.waitForRequests(1)
    try await expectOthersRun()
    #expect(KillScene.size(path) == 2 * Self.mebibyte)
    hold.release()
    let outcome = try await fixture.delegate.completion(of: task)
    #expect(outcome.resumeOffsets == [Self.mebibyte])
    try expectFile(outcome, seed: 41)
  }

  @Test("A pause does not wait for the disk, and what is continued at once does not either")
  func pause() async throws {
    let hold = HeldQueue(fixture.session.coordinator.syncQueue)
    resource.drop(.dropAfter(2 * Self.mebibyte, .hang))
    let task = fixture.session.downloadTask(with: server.url("/file"))
    task.resume()
    try await fixture.delegate.waitForBytes(2 * Self.mebibyte, of: task)
    let blob = try #require(await task.cancelByProducingResumeData())
    let outcome = try await fixture.run(fixture.session.downloadTask(withResumeData: blob))
    #expect(outcome.resumeOffsets == [2 * Self.mebibyte])
    try expectFile(outcome, seed: 41)
    hold.release()
  }

  /// A task for a file at its destination that waits for the disk, while others run.
  private func waitForDisk() async throws -> (DownloadTask, HeldQueue) {
    let hold = HeldQueue(fixture.session.coordinator.orderQueue)
    let task = fixture.session.downloadTask(with: URLRequest(url: server.url("/file")), to: folder.url("file"))
    task.resume()
    try await server.waitForRequests(1)
    try await expectOthersRun()
    return (task, hold)
  }

  /// A task that has found the new version where it continues the old one, and waits for the disk after the first MiB.
  private func waitForPlace() async throws -> (DownloadTask, HeldQueue) {
    resource.drop(.dropAfter(2 * Self.mebibyte))
    let outcome = try await fixture.run(fixture.session.downloadTask(with: server.url("/file")))
    resource.replace(with: Self.new)
    let hold = HeldQueue(fixture.session.coordinator.orderQueue)
    let task = fixture.session.downloadTask(withResumeData: try #require(outcome.resumeData))
    try await fixture.start(task, until: Self.mebibyte)
    return (task, hold)
  }

  /// Another download of the same session comes to its end, so whatever came before it on the loop is done.
  private func expectOthersRun() async throws {
    let outcome = try await fixture.run(fixture.session.downloadTask(with: server.url("/small")))
    #expect(outcome.data == Data("small".utf8))
  }

  private func expectFile(_ outcome: DownloadOutcome, seed: UInt64) throws {
    #expect(outcome.error == nil)
    #expect(try Payload.verify(file: #require(outcome.file).path, seed: seed, count: Self.count) == nil)
  }
}

/// A queue that runs nothing until it is released, at the latest with this object: a suspended queue must not go.
private final class HeldQueue: Sendable {
  private let queue: DispatchQueue
  private let isReleased = Observed(false)

  init(_ queue: DispatchQueue) {
    self.queue = queue
    queue.suspend()
  }

  deinit { release() }

  func release() {
    isReleased.update { isReleased in
      if !isReleased { queue.resume() }
      isReleased = true
    }
  }
}
