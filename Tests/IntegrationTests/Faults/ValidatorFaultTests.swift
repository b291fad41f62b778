import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Files that say little about their version.
@Suite(.timeLimit(.minutes(2)))
struct ValidatorFaultTests {
  private static let date = "Tue, 02 Jan 2024 10:00:00 GMT"

  private static func scene(_ fields: [Answer.Field], _ rest: Answer...) throws -> FaultScene {
    try FaultScene([Answer.ok(FaultScene.whole, fields).cut(after: FaultScene.firstPart, .close)] + rest)
  }

  @Test("A weak tag is never sent as a condition, and a part that agrees in everything is taken")
  func weakTag() async throws {
    let fields = [("ETag", "W/\"a1\""), ("Last-Modified", FaultScene.lastModified), ("Date", Self.date)]
    let answer = FaultScene.from { .partial(of: FaultScene.whole, $0..<FaultScene.length, fields) }
    let run = try await Self.scene(fields, answer).interruptAndResume()
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange(ifRange: nil)])
  }

  @Test("Under a weak tag a part of another version is refused")
  func weakTagOfOther() async throws {
    let fields = [("ETag", "W/\"a1\""), ("Last-Modified", FaultScene.lastModified)]
    let others = [("ETag", "W/\"b1\""), ("Last-Modified", Self.date)]
    let answer = FaultScene.from { .partial(of: FaultScene.other, $0..<FaultScene.length, others) }
    let run = try await Self.scene(fields, answer, .ok(FaultScene.other, others)).interruptAndResume()
    try run.expectRange(ifRange: nil)
    #expect(run.requests.count == 2)
    run.expect(FaultScene.other, resumedAt: [0])
  }

  @Test(
    "A server that never honours a weak tag gives the whole file, of whichever version it has",
    arguments: [true, false])
  func strictAboutWeakTags(isReplaced: Bool) async throws {
    let fields = [("ETag", "W/\"a1\""), ("Last-Modified", FaultScene.lastModified), ("Date", Self.date)]
    let body = isReplaced ? FaultScene.other : FaultScene.whole
    let run = try await Self.scene(fields, .ok(body, [("ETag", isReplaced ? "W/\"b1\"" : "W/\"a1\"")]))
      .interruptAndResume()
    try run.expectRange(ifRange: nil)
    run.expect(body, resumedAt: [0])
  }

  @Test("A tag goes back as it came, also one without quotes", arguments: ["a1", "\"a b\"", "\"\"", "W/a1", "'x'"])
  func verbatimTag(tag: String) async throws {
    let fields = [("ETag", tag), ("Date", Self.date)]
    let answer = FaultScene.from { .partial(of: FaultScene.whole, $0..<FaultScene.length, fields) }
    let run = try await Self.scene(fields, answer).interruptAndResume()
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange(ifRange: tag.hasPrefix("W/") ? nil : tag)])
  }

  @Test("A file that is built anew for each request, and is never of the same length, cannot be continued")
  func alwaysAnotherLength() async throws {
    let scene = try Self.scene([], .ok(FaultScene.whole.dropLast(10)))
    let run = try await scene.start()
    run.expect(failure: .networkConnectionLost)
    #expect(run.outcome.resumeData == nil)
    try await scene.start().expect(FaultScene.whole.dropLast(10), resumedAt: [])
  }

  @Test("A date a day older than the answer is sent as the condition")
  func dateOnly() async throws {
    let fields = [("Last-Modified", FaultScene.lastModified), ("Date", Self.date)]
    let answer = FaultScene.from { .partial(of: FaultScene.whole, $0..<FaultScene.length, fields) }
    let run = try await Self.scene(fields, answer).interruptAndResume()
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange(ifRange: FaultScene.lastModified)])
  }

  @Test("Without a validator that can be trusted there is no resume data", arguments: [0, 1, 2])
  func noValidator(kind: Int) async throws {
    let kinds: [[Answer.Field]] = [
      [], [("Accept-Ranges", "none")], [("Last-Modified", Self.date), ("Date", Self.date)],
    ]
    let scene = try Self.scene(kinds[kind])
    let run = try await scene.start()
    run.expect(failure: .networkConnectionLost)
    #expect(run.outcome.resumeData == nil)
    #expect(scene.leftovers == [])
  }

  @Test("Pausing a download that cannot be continued yields nothing and leaves nothing", arguments: [true, false])
  func pauseInVain(hasValidators: Bool) async throws {
    let fields = hasValidators ? [("ETag", FaultScene.entityTag), ("Accept-Ranges", "none")] : []
    let scene = try FaultScene([Answer.ok(FaultScene.whole, fields).cut(after: FaultScene.firstPart, .hang)])
    let delegate = try RecordingDelegate()
    let session = scene.session(delegate)
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: scene.server.url())
    task.resume()
    try await delegate.waitForBytes(FaultScene.firstPart, of: task)
    #expect(await task.cancelByProducingResumeData() == nil)
    let outcome = try await delegate.completion(of: task)
    #expect(outcome.urlError?.code == .cancelled)
    #expect(outcome.resumeData == nil)
    #expect(delegate.orderViolations(for: task) == [])
    #expect(scene.leftovers == [])
  }
}
