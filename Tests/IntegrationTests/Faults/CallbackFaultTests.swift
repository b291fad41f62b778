import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// What the delegate hears, and when.
@Suite(.timeLimit(.minutes(3)))
struct CallbackFaultTests {
  @Test("A fresh answer of any status is a file, as on Apple's systems", arguments: [204, 403, 404, 500])
  func anyStatus(status: Int) async throws {
    let page = status == 204 ? Data() : Data(repeating: UInt8(ascii: "e"), count: 300)
    let run = try await FaultScene([.status(status, page)]).start()
    run.expect(page, resumedAt: [])
    #expect(run.outcome.status == status)
    #expect(run.outcome.events.suffix(2) == [.finished(status: status), .completed(nil)])
  }

  @Test("An empty file is a success of no bytes")
  func empty() async throws {
    let run = try await FaultScene([.ok(Data(), FaultScene.validators)]).start()
    run.expect(Data(), resumedAt: [])
    #expect(run.outcome.events == [.finished(status: 200), .completed(nil)])
  }

  @Test("Without a length there is no fraction until the end", arguments: [true, false])
  func unknownLength(isChunked: Bool) async throws {
    let (halfway, goOn) = (Gate(), Gate())
    let fields = isChunked ? [] : [("Content-Encoding", "gzip")]
    let body = isChunked ? FaultScene.whole : gzipped(FaultScene.whole)
    let answer = isChunked ? Answer.chunked([body.prefix(400_000), body.dropFirst(400_000)]) : .ok(body, fields)
    let scene = try FaultScene([answer.inserting(.signal(halfway), .wait(goOn), after: 400_000)])
    let delegate = try RecordingDelegate()
    let session = scene.session(delegate)
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: scene.server.url())
    task.resume()
    try await delegate.waitForBytes(1, of: task)
    #expect(task.countOfBytesExpectedToReceive == NSURLSessionTransferSizeUnknown)
    #expect(task.progress.isIndeterminate)
    goOn.open()
    let outcome = try await delegate.completion(of: task)
    #expect(outcome.data == FaultScene.whole)
    for case .wrote(_, _, let expected) in outcome.events { #expect(expected == NSURLSessionTransferSizeUnknown) }
    #expect(task.progress.fractionCompleted == 1)
    #expect(delegate.orderViolations(for: task) == [])
  }

  @Test("The file is there for the whole of the callback, and no longer")
  func temporaryFile() async throws {
    let scene = try FaultScene([FaultScene.rest, FaultScene.rest])
    let delegate = try RecordingDelegate(keeping: .leave)
    let seen = Observed<[Data?]>([])
    delegate.hooks.onFinish = { _, file in
      // Another download runs from its start to its end meanwhile.
      let done = DispatchSemaphore(value: 0)
      let other = DownloadSession(configuration: .default)
      other.downloadTask(with: scene.server.url("/other")) { _, _, _ in done.signal() }.resume()
      done.wait()
      other.finishTasksAndInvalidate()
      seen.update { $0.append(try? Data(contentsOf: file)) }
    }
    let session = scene.session(delegate)
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: scene.server.url())
    task.resume()
    let outcome = try await delegate.completion(of: task)
    #expect(seen.value == [FaultScene.whole])
    #expect(!FileManager.default.fileExists(atPath: try #require(outcome.temporaryFile).path))
    #expect(scene.leftovers == [])
  }

  @Test("A plain cancel leaves nothing, and what nobody continues can be cleared away")
  func orphans() async throws {
    let scene = try FaultScene([FaultScene.beginning(.hang), FaultScene.beginning(.hang)])
    let delegate = try RecordingDelegate()
    let session = scene.session(delegate)
    defer { session.invalidateAndCancel() }
    let cancelled = session.downloadTask(with: scene.server.url())
    cancelled.resume()
    try await delegate.waitForBytes(FaultScene.firstPart, of: cancelled)
    // What is there at the very moment at which the delegate hears of the end.
    let left = Observed<[[String]]>([])
    delegate.hooks.onComplete = { _ in left.update { $0.append(scene.leftovers) } }
    cancelled.cancel()
    _ = try await delegate.completion(of: cancelled)
    #expect(try await left.wait(for: "the end") { !$0.isEmpty } == [[]])
    let dropped = session.downloadTask(with: scene.server.url())
    dropped.resume()
    try await delegate.waitForBytes(FaultScene.firstPart, of: dropped)
    #expect(await dropped.cancelByProducingResumeData() != nil)
    _ = try await delegate.completion(of: dropped)
    try DownloadSession.removeAbandonedDownloads(in: scene.partials, olderThan: Date(timeIntervalSinceNow: 3600))
    #expect(scene.leftovers == [])
  }

  @Test(
    "Wherever a download is cancelled, each handler is called once, and one end is told, last",
    arguments: [0, 1, 200_000, FaultScene.length] as [Int64])
  func cancelledAt(count: Int64) async throws {
    let server = try LoopbackServer { _ in
      let whole = Answer.ok(FaultScene.whole, FaultScene.validators)
      return count < FaultScene.length ? whole.inserting(.hang, after: count) : whole
    }
    for _ in 0..<25 {
      let fixture = try SessionFixture()
      defer { fixture.session.invalidateAndCancel() }
      let task = fixture.session.downloadTask(with: server.url())
      task.resume()
      if count > 0, count < FaultScene.length { try await fixture.delegate.waitForBytes(count, of: task) }
      async let first = task.cancelByProducingResumeData()
      async let second = task.cancelByProducingResumeData()
      let given = await [first, second].compactMap { $0 }
      let outcome = try await fixture.delegate.completion(of: task)
      #expect(given.count <= 1)
      #expect(given.first == outcome.resumeData)
      #expect(outcome.error == nil || outcome.urlError?.code == .cancelled)
      if count > 0, count < FaultScene.length { #expect(given.count == 1) }
      if count == 0 { #expect(given == []) }
      #expect(fixture.delegate.orderViolations(for: task) == [])
      task.resume()
      #expect(task.state == .completed)
    }
  }

  @Test("A download that ends while the delegate is busy can no longer be cancelled, and says so")
  func cancelledTooLate() async throws {
    let (told, answered) = (Gate(), Observed<[Data?]>([]))
    let scene = try FaultScene([FaultScene.rest, FaultScene.rest])
    let delegate = try RecordingDelegate()
    let busy = Gate()
    delegate.hooks.onFinish = { _, _ in
      told.open()
      let passed = DispatchSemaphore(value: 0)
      Task {
        try? await busy.opened()
        passed.signal()
      }
      passed.wait()
    }
    let session = scene.session(delegate)
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: scene.server.url())
    task.resume()
    try await told.opened()
    // Another download of the session, from its start to its end, shows that the loop is done with the first one.
    let (file, _) = try await session.download(from: scene.server.url("/other"))
    try FileManager.default.removeItem(at: file)
    task.cancel(byProducingResumeData: { data in answered.update { $0.append(data) } })
    #expect(try await answered.wait(for: "the handler") { !$0.isEmpty } == [nil])
    busy.open()
    let outcome = try await delegate.completion(of: task)
    #expect(outcome.error == nil)
    #expect(outcome.data == FaultScene.whole)
    #expect(delegate.orderViolations(for: task) == [])
  }

  @Test("Code that was written for Foundation's types pauses and goes on")
  func ported() async throws {
    let scene = try FaultScene([FaultScene.beginning(.hang), FaultScene.rest])
    let delegate = try RecordingDelegate()
    let session: URLSession = scene.session(delegate)
    defer { session.invalidateAndCancel() }
    let task: URLSessionDownloadTask = session.downloadTask(with: scene.server.url())
    task.resume()
    try await delegate.waitForBytes(FaultScene.firstPart, of: task)
    let data = await withCheckedContinuation { continuation in
      task.cancel(byProducingResumeData: { continuation.resume(returning: $0) })
    }
    let error = try await delegate.completion(of: task).error as NSError?
    #expect(error?.code == NSURLErrorCancelled)
    #expect(error?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data == data)
    let second: URLSessionDownloadTask = session.downloadTask(withResumeData: try #require(data))
    second.resume()
    let outcome = try await delegate.completion(of: second)
    #expect(outcome.data == FaultScene.whole)
    #expect(outcome.resumeOffsets == [FaultScene.firstPart])
  }
}
