import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Requests that are downloaded as they are and never continued.
@Suite(.timeLimit(.minutes(3)))
struct RequestKindTests {
  private static let body = Payload.bytes(seed: 25, count: 300_000)
  private static let fields: [Answer.Field] = [("ETag", "\"a\""), ("Accept-Ranges", "bytes")]

  @Test(
    "Other methods download with their body and give no resume data", arguments: ["POST", "PUT", "PATCH", "DELETE"])
  func methods(method: String) async throws {
    let server = try LoopbackServer { request in
      let answer = Answer.ok(Self.body, Self.fields)
      return request.path == "/lost" ? answer.cut(after: 100_000, .reset) : answer
    }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    var request = URLRequest(url: server.url("/whole"))
    request.httpMethod = method
    request.httpBody = Data("what=this".utf8)
    request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    let whole = try await fixture.run(fixture.session.downloadTask(with: request))
    #expect(whole.data == Self.body)
    request.url = server.url("/lost")
    let lost = try await fixture.run(fixture.session.downloadTask(with: request))
    #expect(lost.urlError?.code == .networkConnectionLost)
    #expect(lost.resumeData == nil)
    #expect(fixture.kept == [])
    #expect(server.requests.map(\.method) == [method, method])
    #expect(server.requests.map(\.body) == [Data("what=this".utf8), Data("what=this".utf8)])
    #expect(server.requests.allSatisfy { $0.value("Content-Type") == "application/x-www-form-urlencoded" })
    #expect(server.requests.allSatisfy { $0.values("Range") == [] })
  }

  @Test("A cancelled POST gives no resume data")
  func cancelledPost() async throws {
    let server = try LoopbackServer { _ in .ok(Self.body, Self.fields).cut(after: 100_000, .hang) }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    let task = fixture.session.downloadTask(with: request)
    try await fixture.start(task, until: 100_000)
    #expect(await task.cancelByProducingResumeData() == nil)
    #expect(try await fixture.delegate.completion(of: task).resumeData == nil)
    #expect(fixture.kept == [])
  }

  @Test("A body that comes from a stream is sent")
  func stream() async throws {
    let server = try LoopbackServer { _ in .ok(Data("thanks".utf8)) }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    request.httpBodyStream = InputStream(data: Self.body)
    #expect(try await fixture.run(fixture.session.downloadTask(with: request)).data == Data("thanks".utf8))
    #expect(server.requests.map(\.body) == [Self.body])
  }

  @Test("A HEAD gives an empty file")
  func head() async throws {
    let server = try LoopbackServer { _ in
      Answer([.send(Answer.head(200, nil, Self.fields + [("Content-Length", "300000")]))])
    }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    var request = URLRequest(url: server.url())
    request.httpMethod = "HEAD"
    let outcome = try await fixture.run(fixture.session.downloadTask(with: request))
    #expect(outcome.error == nil)
    #expect(outcome.data == Data())
  }

  @Test("A range of the caller's own is sent as it is, its part is the file, and it is never continued")
  func ownRange() async throws {
    let resource = RangeResource(.init(.data(Self.body)))
    resource.drop(.dropAfter(10_000, .reset))
    let server = try LoopbackServer(handler: resource.answer)
    let fixture = try SessionFixture { $0.retryPolicy = nil }
    defer { fixture.session.invalidateAndCancel() }
    var request = URLRequest(url: server.url())
    request.setValue("bytes=1000-99999", forHTTPHeaderField: "Range")
    let lost = try await fixture.run(fixture.session.downloadTask(with: request))
    #expect(lost.urlError?.code == .networkConnectionLost)
    #expect(lost.resumeData == nil)
    let part = try await fixture.run(fixture.session.downloadTask(with: request))
    #expect(part.status == 206)
    #expect(part.data == Self.body[1000..<100_000])
    #expect(part.resumeOffsets == [])
    #expect(fixture.kept == [])
    #expect(server.requests.map { $0.values("Range") } == [["bytes=1000-99999"], ["bytes=1000-99999"]])
    #expect(server.requests.allSatisfy { $0.values("If-Range") == [] })
  }
}
