import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct SuspendTests {
  private static let count: Int64 = 64 << 20

  @Test("A suspended task stops reading, and goes on over the same connection")
  func stopsReading() async throws {
    let resource = RangeResource(.init(.generated(seed: 10, count: Self.count)))
    let (start, gate) = (Int64(1 << 20), Gate())
    let server = try LoopbackServer { request in
      let answer = resource.answer(request)
      return request.path == "/file" ? answer.inserting(.wait(gate), after: start) : answer
    }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url())
    try await fixture.start(task, until: start)
    task.suspend()
    #expect(task.state == .suspended)
    gate.open()
    // Another download passes meanwhile: what the first could have read in that time it did not read.
    let before = task.countOfBytesReceived
    let (file, _) = try await fixture.session.download(from: server.url("/other"))
    try FileManager.default.removeItem(at: file)
    #expect(task.countOfBytesReceived - before < 8 << 20)
    #expect(task.countOfBytesReceived < Self.count)
    task.resume()
    let outcome = try await fixture.delegate.completion(of: task)
    let kept = try #require(outcome.file)
    #expect(try Payload.verify(file: kept.path, seed: 10, count: Self.count) == nil)
    #expect(server.requests.filter { $0.path == "/file" }.count == 1)
    #expect(fixture.delegate.orderViolations(for: task) == [])
  }

  /// Suspends the task after 100,000 bytes, opens the gate at which the server waits to drop it, and lets it go on.
  private func suspended(
    _ task: DownloadTask, until drop: Gate, in fixture: SessionFixture, other: URL
  ) async throws -> DownloadOutcome {
    try await fixture.start(task, until: 100_000)
    task.suspend()
    // A request that follows shows that the loop has seen the suspension.
    _ = try await fixture.session.download(from: other)
    drop.open()
    return try await fixture.run(task)
  }

  @Test("When the server has dropped the idle connection, it goes on by range")
  func dropped() async throws {
    let drop = Gate()
    let resource = RangeResource(.init(.generated(seed: 11, count: 400_000)))
    let server = try LoopbackServer { request in
      let answer = resource.answer(request)
      guard request.number == 1 else { return answer }
      return answer.cut(after: 100_000, .reset).inserting(.wait(drop), after: 100_000)
    }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url())
    let outcome = try await suspended(task, until: drop, in: fixture, other: server.url("/other"))
    #expect(outcome.error == nil)
    let kept = try #require(outcome.file)
    #expect(try Payload.verify(file: kept.path, seed: 11, count: 400_000) == nil)
    #expect(server.requests.filter { $0.path == "/file" }.map(\.rangeStart) == [nil, 100_000])
  }

  /// It used to ask again without end.
  @Test(
    "When the server has dropped the connection and gives nothing more, it fails with resume data",
    arguments: [true, false])
  func lost(serverIsGone: Bool) async throws {
    let drop = Gate()
    let resource = RangeResource(.init(.generated(seed: 11, count: 400_000)))
    let server = try LoopbackServer { request in
      // On a connection that was used before, libcurl would ask twice by itself.
      if request.path == "/other" { return .ok(Data("x".utf8), [("Connection", "close")]) }
      guard request.number == 1 else { return Answer([.close]) }
      let loss: Answer.Step = serverIsGone ? .closeListener : .perform {}
      return resource.answer(request).cut(after: 100_000, .reset).inserting(.wait(drop), loss, after: 100_000)
    }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url())
    let outcome = try await suspended(task, until: drop, in: fixture, other: server.url("/other"))
    #expect(outcome.urlError?.code == (serverIsGone ? .cannotConnectToHost : .networkConnectionLost))
    #expect(try ResumeData(#require(outcome.resumeData)).byteOffset == 100_000)
    let starts = server.requests.filter { $0.path == "/file" }.map(\.rangeStart)
    #expect(starts == (serverIsGone ? [nil] : [nil, 100_000]))
    #expect(fixture.delegate.orderViolations(for: task) == [])
  }

  @Test("Suspended just when the answer comes, a task takes the head that libcurl hands out in one piece")
  func suspendedAtHead() async throws {
    let gate = Gate()
    let resource = RangeResource(.init(.generated(seed: 32, count: 100_000)))
    let server = try LoopbackServer { request in
      request.path == "/other" ? .ok(Data("x".utf8)) : resource.answer(request).after(.wait(gate))
    }
    let fixture = try SessionFixture { $0.httpMaximumConnectionsPerHost = 0 }
    defer { fixture.session.invalidateAndCancel() }
    // Libcurl reads once more when it is told to pause. That a head has arrived by then happens to some of many.
    let tasks = (0..<40).map { _ in fixture.session.downloadTask(with: server.url()) }
    for task in tasks { task.resume() }
    try await server.waitForRequests(40)
    gate.open()
    for task in tasks { task.suspend() }
    _ = try await fixture.session.download(from: server.url("/other"))
    for task in tasks { task.resume() }
    for task in tasks {
      let outcome = try await fixture.delegate.completion(of: task)
      #expect(outcome.error == nil)
      #expect(outcome.data == Payload.bytes(seed: 32, count: 100_000))
    }
  }

  @Test("Suspensions nest")
  func nested() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url())
    task.suspend()
    task.suspend()
    task.resume()
    task.resume()
    #expect(task.state == .suspended)
    _ = try await fixture.session.download(from: server.url("/other"))
    #expect(server.requests.map(\.path) == ["/other"])
    let outcome = try await fixture.run(task)
    #expect(outcome.data == Data("x".utf8))
    #expect(server.requests.count == 2)
  }

  @Test("A suspended task can be cancelled into resume data that continues")
  func cancelled() async throws {
    let server = try LoopbackServer.stalling(seed: 12)
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url())
    try await fixture.start(task, until: 100_000)
    task.suspend()
    let data = try #require(await task.cancelByProducingResumeData())
    let outcome = try await fixture.run(fixture.session.downloadTask(withResumeData: data))
    #expect(outcome.data == Payload.bytes(seed: 12, count: 300_000))
    #expect(outcome.resumeOffsets == [100_000])
  }
}
