import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct CancelTests {
  @Test("Cancelled before it begins, a task sends nothing and completes once")
  func beforeResume() async throws {
    let server = try LoopbackServer.stalling(seed: 9)
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let plain = fixture.session.downloadTask(with: server.url())
    plain.cancel()
    #expect(try await fixture.delegate.completion(of: plain).urlError?.code == .cancelled)
    let other = fixture.session.downloadTask(with: server.url())
    #expect(await other.cancelByProducingResumeData() == nil)
    #expect(try await fixture.delegate.completion(of: other).urlError?.code == .cancelled)
    other.resume()
    #expect(other.state == .completed)
    #expect(server.requests.isEmpty)
    #expect(fixture.delegate.orderViolations(for: plain) == [])
    #expect(fixture.delegate.orderViolations(for: other) == [])
  }

  @Test("Of several cancel handlers each is called once, and one gets the data")
  func handlers() async throws {
    let server = try LoopbackServer.stalling(seed: 9)
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url())
    try await fixture.start(task, until: 100_000)
    let calls = Observed<[Int: [Data?]]>([:])
    for number in 0..<5 {
      task.cancel(byProducingResumeData: { data in calls.update { $0[number, default: []].append(data) } })
    }
    task.cancel()
    let outcome = try await fixture.delegate.completion(of: task)
    task.cancel(byProducingResumeData: { data in calls.update { $0[5, default: []].append(data) } })
    let all = try await calls.wait(for: "the handlers") { $0.count == 6 }
    #expect(all.values.allSatisfy { $0.count == 1 })
    #expect(all[0] == [outcome.resumeData])
    #expect(outcome.resumeData != nil)
    for number in 1...5 { #expect(all[number] == [nil]) }
    #expect(fixture.delegate.orderViolations(for: task) == [])
  }

  @Test("A plain cancel removes the partial, one for resume data keeps it")
  func partial() async throws {
    let server = try LoopbackServer.stalling(seed: 9)
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url())
    try await fixture.start(task, until: 100_000)
    #expect(fixture.kept.contains { $0.hasSuffix(".partial") })
    task.cancel()
    let outcome = try await fixture.delegate.completion(of: task)
    #expect(outcome.urlError?.code == .cancelled)
    #expect(outcome.resumeData == nil)
    #expect(fixture.kept == [])
  }

  @Test("After its completion a task cannot be cancelled")
  func afterCompletion() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url())
    #expect(try await fixture.run(task).error == nil)
    #expect(await task.cancelByProducingResumeData() == nil)
    task.cancel()
    #expect(task.state == .completed)
    #expect(task.error == nil)
    #expect(fixture.delegate.events(of: task).last == .completed(nil))
  }

  @Test("Cancelling within a callback works, and nothing is written afterwards", arguments: [true, false])
  func insideCallback(producing: Bool) async throws {
    let server = try LoopbackServer.stalling(seed: 9, after: 200_000)
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let given = Observed<[Data?]>([])
    fixture.delegate.onWrite = { task, _ in
      guard task.state == .running else { return }
      if producing {
        task.cancel(byProducingResumeData: { data in given.update { $0.append(data) } })
      } else {
        task.cancel()
      }
    }
    let task = fixture.session.downloadTask(with: server.url())
    let outcome = try await fixture.run(task)
    #expect(outcome.urlError?.code == .cancelled)
    #expect((outcome.resumeData != nil) == producing)
    if producing {
      #expect(try await given.wait(for: "the data") { !$0.isEmpty } == [outcome.resumeData])
    } else {
      #expect(fixture.kept == [])
    }
    #expect(fixture.delegate.orderViolations(for: task) == [])
  }
}
