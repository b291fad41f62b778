import Foundation
import FoundationNetworking
import LoopbackServer
import TestSupport
import Testing

@Suite("Recording delegate", .timeLimit(.minutes(2)))
struct RecordingDelegateTests {
  private func session(_ delegate: RecordingDelegate) -> URLSession {
    URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
  }

  @Test("it keeps the file, the events and the end of the session")
  func records() async throws {
    // So little arrives in one piece: the totals of FoundationNetworking run ahead of their callbacks otherwise.
    let server = try LoopbackServer([.ok(.generated(seed: 4, count: 1000))])
    let delegate = try RecordingDelegate()
    let session = session(delegate)
    let task = session.downloadTask(with: server.url())
    task.resume()
    try await delegate.waitForBytes(1, of: task)
    let outcome = try await delegate.completion(of: task)
    let file = try #require(outcome.file)
    #expect(try Payload.verify(file: file.path, seed: 4, count: 1000) == nil)
    #expect(outcome.status == 200)
    #expect(outcome.error == nil)
    #expect(outcome.events.suffix(2) == [.finished(status: 200), .completed(nil)])
    #expect(delegate.orderViolations(for: task).isEmpty)
    #expect(outcome.temporaryFile.map { FileManager.default.fileExists(atPath: $0.path) } == false)
    session.finishTasksAndInvalidate()
    try await delegate.invalidated()
  }

  @Test("a test can cancel from inside a callback")
  func cancels() async throws {
    let server = try LoopbackServer([.ok(Payload.bytes(seed: 4, count: 100_000)).cut(after: 50_000, .hang)])
    let delegate = try RecordingDelegate()
    delegate.onWrite = { task, _ in task.cancel() }
    let session = session(delegate)
    let task = session.downloadTask(with: server.url())
    task.resume()
    let outcome = try await delegate.completion(of: task)
    #expect(outcome.urlError?.code == .cancelled)
    #expect(outcome.file == nil)
    session.invalidateAndCancel()
    try await delegate.invalidated()
  }

  @Test(
    "a wrong order of callbacks is found",
    arguments: [
      [], [.completed(nil)], [.completed(nil), .completed(nil)],
      [.finished(status: 200), .completed(URLError(.cancelled))],
      [.wrote(bytes: 5, total: 6, expected: 10), .finished(status: 200), .completed(nil)],
      [.wrote(bytes: 5, total: 5, expected: 4), .finished(status: 200), .completed(nil)],
      [.finished(status: 200), .wrote(bytes: 1, total: 1, expected: 1), .completed(nil)],
      [.finished(status: 200), .completed(nil), .wrote(bytes: 1, total: 1, expected: 1)],
      [.wrote(bytes: 1, total: 1, expected: 9), .resumed(offset: 5, expected: 9), .completed(URLError(.cancelled))],
    ] as [[DownloadEvent]])
  func findsWrongOrder(_ events: [DownloadEvent]) {
    #expect(!EventOrder.violations(events).isEmpty)
  }

  @Test("a right order of callbacks passes")
  func passesRightOrder() {
    let events: [DownloadEvent] = [
      .resumed(offset: 5, expected: 9), .wrote(bytes: 4, total: 9, expected: 9), .finished(status: 206),
      .completed(nil),
    ]
    #expect(EventOrder.violations(events) == [])
    #expect(EventOrder.violations([.completed(URLError(.cancelled))]) == [])
  }

  @Test("the test program's folder is found, and descriptors are counted")
  func findsProducts() throws {
    #expect(FileManager.default.fileExists(atPath: try Products.folder() + "/TestSupport.build"))
    #expect(throws: TestSupportError.self) { try Products.path("no-such-product") }
    let counters = try ProcessCounters.now()
    #expect(counters.descriptors >= 3 && counters.threads >= 1)
  }
}
