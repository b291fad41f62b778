import Dispatch
import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// A library that is handed a `DownloadSession` in place of a `URLSession` and knows nothing of it.
@Suite(.timeLimit(.minutes(3)))
struct WrappingClientTests {
  private static let count: Int64 = 300_000

  private func client() -> WrappingClient {
    let root = DispatchQueue(label: "root")
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.underlyingQueue = root
    let delegate = WrappingDelegate()
    let session = DownloadSession(configuration: .default, delegate: delegate, delegateQueue: queue)
    return WrappingClient(session: session, delegate: delegate, root: root)
  }

  @Test("Cancelling produces resume data, and resuming with it completes the file")
  func cancelAndResume() async throws {
    let resource = RangeResource(.init(.generated(seed: 27, count: Self.count)), drops: [.dropAfter(100_000, .hang)])
    let server = try LoopbackServer(handler: resource.answer)
    let folder = try TemporaryFolder("client")
    let client = client()
    defer { client.session.invalidateAndCancel() }
    let ends = Observed<[WrappedDownload.Outcome]>([])
    let written = Observed<Int64>(0)
    let request = client.download(URLRequest(url: server.url()), to: folder.url("file")) { outcome in
      ends.update { $0.append(outcome) }
    }
    request.reporting { bytes, _ in written.update { $0 = bytes } }
    _ = try await written.wait(for: "the first part") { $0 == 100_000 }
    request.cancel(producingResumeData: true)
    let first = try #require(try await ends.wait(for: "the first end") { $0.count == 1 }.first)
    #expect((first.error as? URLError)?.code == .cancelled)
    #expect(first.history == ["write", "complete"])
    #expect(first.file == nil)
    let data = try #require(first.resumeData)
    _ = client.download(resumingWith: data, to: folder.url("file")) { outcome in ends.update { $0.append(outcome) } }
    let second = try #require(try await ends.wait(for: "the second end") { $0.count == 2 }.last)
    #expect(second.error == nil)
    #expect(second.status == 206)
    #expect(second.history == ["resume 100000", "write", "finish", "complete"])
    #expect(try Payload.verify(file: folder.path("file"), seed: 27, count: Self.count) == nil)
    #expect(server.requests.map(\.rangeStart) == [nil, 100_000])
  }

  @Test("Many requests at a time keep their states apart, also when they are suspended")
  func many() async throws {
    let (start, go) = (Gate(), Gate())
    let resource = RangeResource(.init(.generated(seed: 28, count: Self.count)))
    let server = try LoopbackServer { resource.answer($0).inserting(.signal(start), .wait(go), after: 100_000) }
    let folder = try TemporaryFolder("client")
    let client = client()
    defer { client.session.invalidateAndCancel() }
    let ends = Observed<[String: WrappedDownload.Outcome]>([:])
    let requests = (0..<6).map { number in
      client.download(URLRequest(url: server.url("/\(number)")), to: folder.url("\(number)")) { outcome in
        ends.update { $0["\(number)"] = outcome }
      }
    }
    try await start.opened()
    for request in requests { request.suspend() }
    requests[0].cancel(producingResumeData: false)
    _ = try await ends.wait(for: "the cancelled one") { $0.count == 1 }
    go.open()
    for request in requests { request.resume() }
    let outcomes = try await ends.wait(for: "all ends") { $0.count == 6 }
    #expect((outcomes["0"]?.error as? URLError)?.code == .cancelled)
    #expect(outcomes["0"]?.resumeData == nil)
    for name in (1..<6).map(String.init) {
      #expect(outcomes[name]?.error == nil)
      #expect(try Payload.verify(file: folder.path(name), seed: 28, count: Self.count) == nil)
    }
    #expect(try folder.contents() == ["1", "2", "3", "4", "5"])
  }

  @Test("A lost connection leaves resume data in the error, where the library looks for it")
  func lost() async throws {
    let resource = RangeResource(.init(.generated(seed: 29, count: Self.count)), drops: [.dropAfter(100_000)])
    let server = try LoopbackServer(handler: resource.answer)
    let folder = try TemporaryFolder("client")
    let client = client()
    defer { client.session.invalidateAndCancel() }
    let ends = Observed<[WrappedDownload.Outcome]>([])
    _ = client.download(URLRequest(url: server.url()), to: folder.url("file")) { outcome in
      ends.update { $0.append(outcome) }
    }
    let first = try #require(try await ends.wait(for: "the failure") { $0.count == 1 }.first)
    #expect((first.error as? URLError)?.code == .networkConnectionLost)
    _ = client.download(resumingWith: try #require(first.resumeData), to: folder.url("file")) { outcome in
      ends.update { $0.append(outcome) }
    }
    #expect(try #require(try await ends.wait(for: "the end") { $0.count == 2 }.last).error == nil)
    #expect(try Payload.verify(file: folder.path("file"), seed: 29, count: Self.count) == nil)
  }
}
