import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct RetryTests {
  private static let fields = [("ETag", "\"a1\""), ("Accept-Ranges", "bytes")]
  private static let body = Payload.bytes(seed: 9, count: 1_000_000)

  /// A session that keeps to the policy.
  private func fixture(_ policy: RetryPolicy?) throws -> SessionFixture {
    try SessionFixture { $0.retryPolicy = policy }
  }

  @Test("With a policy a download goes through drops and busy answers as one task")
  func oneTask() async throws {
    let body = Self.body
    let rest = Answer.from { request in
      .partial(of: body, (request.rangeStart ?? 0)..<1_000_000, Self.fields)
    }
    let server = try LoopbackServer([
      .ok(body, Self.fields).cut(after: 400_000, .reset),
      .status(503, Data("busy".utf8), [("Retry-After", "0")]),
      .from { request in
        .partial(of: body, (request.rangeStart ?? 0)..<1_000_000, Self.fields).cut(after: 200_000, .close)
      },
      rest,
    ])
    let fixture = try fixture(RetryPolicy(initialDelay: 0.01, maximumDelay: 1))
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url("/file"))
    let outcome = try await fixture.run(task)
    #expect(outcome.error == nil)
    #expect(outcome.data == body)
    #expect(fixture.delegate.orderViolations(for: task) == [])
    #expect(server.requests.map(\.rangeStart) == [nil, 400_000, 400_000, 600_000])
    #expect(server.requests.dropFirst().allSatisfy { $0.value("If-Range") == "\"a1\"" })
  }

  @Test("Without a policy the first drop ends the task")
  func off() async throws {
    let server = try LoopbackServer([.ok(Self.body, Self.fields).cut(after: 400_000, .reset)])
    let fixture = try fixture(nil)
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url("/file"))
    let outcome = try await fixture.run(task)
    #expect(outcome.urlError?.code == .networkConnectionLost)
    #expect(outcome.resumeData != nil)
    #expect(server.requests.count == 1)
  }

  @Test("Attempts are bounded, and what has arrived can still be continued")
  func bounded() async throws {
    let body = Self.body
    let resource = RangeResource(
      .init(.data(body), entityTag: "\"a1\""),
      drops: [.dropAfter(100_000), .dropAfter(0), .dropAfter(0), .dropAfter(0)])
    let server = try LoopbackServer(handler: resource.answer)
    let fixture = try fixture(RetryPolicy(maximumAttempts: 2, initialDelay: 0.01))
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url("/file"))
    let outcome = try await fixture.run(task)
    #expect(outcome.urlError?.code == .networkConnectionLost)
    #expect(server.requests.map(\.rangeStart) == [nil, 100_000, 100_000])
    let data = try #require(outcome.resumeData)
    #expect(try ResumeData(data).byteOffset == 100_000)
  }
}
