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

  private func session(_ policy: RetryPolicy?, _ folder: TemporaryFolder, _ delegate: RecordingDelegate)
    -> DownloadSession
  {
    let configuration = URLSessionConfiguration.default
    configuration.partialsDirectory = folder.url("partials")
    configuration.retryPolicy = policy
    return DownloadSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
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
    let folder = try TemporaryFolder()
    let delegate = try RecordingDelegate()
    let session = session(RetryPolicy(initialDelay: 0.01, maximumDelay: 1), folder, delegate)
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: server.url("/file"))
    task.resume()
    let outcome = try await delegate.completion(of: task)
    #expect(outcome.error == nil)
    #expect(outcome.data == body)
    #expect(delegate.orderViolations(for: task) == [])
    #expect(server.requests.map(\.rangeStart) == [nil, 400_000, 400_000, 600_000])
    #expect(server.requests.dropFirst().allSatisfy { $0.value("If-Range") == "\"a1\"" })
  }

  @Test("Without a policy the first drop ends the task")
  func off() async throws {
    let server = try LoopbackServer([.ok(Self.body, Self.fields).cut(after: 400_000, .reset)])
    let folder = try TemporaryFolder()
    let delegate = try RecordingDelegate()
    let session = session(nil, folder, delegate)
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: server.url("/file"))
    task.resume()
    let outcome = try await delegate.completion(of: task)
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
    let folder = try TemporaryFolder()
    let delegate = try RecordingDelegate()
    let session = session(RetryPolicy(maximumAttempts: 2, initialDelay: 0.01), folder, delegate)
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: server.url("/file"))
    task.resume()
    let outcome = try await delegate.completion(of: task)
    #expect(outcome.urlError?.code == .networkConnectionLost)
    #expect(server.requests.map(\.rangeStart) == [nil, 100_000, 100_000])
    let data = try #require(outcome.resumeData)
    #expect(try ResumeData(data).byteOffset == 100_000)
  }
}
