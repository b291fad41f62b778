import Foundation
import FoundationNetworking
import Glibc
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// What Apple raises exceptions for, and what makes no sense: an error through the task or no effect, never a trap.
@Suite(.timeLimit(.minutes(3)))
struct BadInputTests {
  private func server() throws -> LoopbackServer { try LoopbackServer { _ in .ok(Data("x".utf8)) } }

  @Test("A delegate that is set after the start has no effect")
  func lateDelegate() async throws {
    let go = Gate()
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)).after(.wait(go)) }
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let late = try RecordingDelegate()
    let task = fixture.session.downloadTask(with: server.url())
    task.resume()
    task.delegate = late
    #expect(task.delegate == nil)
    go.open()
    #expect(try await fixture.delegate.completion(of: task).data == Data("x".utf8))
    task.delegate = late
    #expect(task.delegate == nil)
    #expect(late.events == [])
  }

  @Test("Tasks of an invalidated session of every kind end with -999 and send nothing")
  func invalidated() async throws {
    let server = try server()
    let fixture = try SessionFixture()
    fixture.session.invalidateAndCancel()
    try await fixture.delegate.invalidated()
    let folder = try TemporaryFolder("destination")
    let request = URLRequest(url: server.url())
    let tasks = [
      fixture.session.downloadTask(with: request),
      fixture.session.downloadTask(with: request, options: .validateStatus),
      fixture.session.downloadTask(with: request, to: folder.url("file")),
      fixture.session.downloadTask(withResumeData: Data("x".utf8)),
    ]
    for task in tasks {
      task.resume()
      let error = await #expect(throws: URLError.self) { for try await _ in task.events {} }
      #expect(error?.code == .cancelled)
      #expect(task.state == .completed)
    }
    let error = await #expect(throws: URLError.self) { try await fixture.session.download(for: request) }
    #expect(error?.code == .cancelled)
    let other = await #expect(throws: URLError.self) {
      try await fixture.session.download(for: request, to: folder.url("file"))
    }
    #expect(other?.code == .cancelled)
    let late = fixture.session.downloadTask(with: request)
    #expect(await late.cancelByProducingResumeData() == nil)
    #expect(await fixture.session.allTasks == [])
    #expect(fixture.delegate.events.map(\.event) == [.invalidated])
    #expect(server.requests.isEmpty)
  }

  @Test("Timeouts that are no time mean none", arguments: [0, -1, -Double.infinity, .nan, .infinity, 1e300])
  func timeouts(seconds: TimeInterval) async throws {
    let server = try server()
    let fixture = try SessionFixture {
      $0.timeoutIntervalForRequest = seconds
      $0.timeoutIntervalForResource = seconds
    }
    defer { fixture.session.invalidateAndCancel() }
    var request = URLRequest(url: server.url())
    #expect(try await fixture.run(fixture.session.downloadTask(with: request)).data == Data("x".utf8))
    request.timeoutInterval = seconds
    #expect(try await fixture.run(fixture.session.downloadTask(with: request)).data == Data("x".utf8))
  }

  @Test("Odd priorities, counts, dates and limits are taken as they come")
  func oddNumbers() async throws {
    let server = try server()
    for limit in [0, -1, Int.max] {
      let fixture = try SessionFixture { $0.httpMaximumConnectionsPerHost = limit }
      defer { fixture.session.invalidateAndCancel() }
      for priority in [Float.nan, -Float.infinity, 7, -1] {
        let task = fixture.session.downloadTask(with: server.url())
        task.priority = priority
        task.earliestBeginDate = .distantPast
        task.countOfBytesClientExpectsToReceive = .min
        #expect(try await fixture.run(task).data == Data("x".utf8))
      }
    }
  }

  @Test("A beginning in the far future can be cancelled")
  func distantFuture() async throws {
    let server = try server()
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: server.url())
    task.earliestBeginDate = .distantFuture
    task.resume()
    task.cancel()
    #expect(try await fixture.delegate.completion(of: task).urlError?.code == .cancelled)
    #expect(server.requests.isEmpty)
  }

  @Test("A destination that is a folder is refused before anything is sent", arguments: [true, false])
  func folderAsDestination(replacing: Bool) async throws {
    let server = try server()
    let folder = try TemporaryFolder("destination")
    try folder.makeFolder("file")
    try folder.write(Data("old".utf8), to: "file/inside")
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let outcome = try await fixture.run(
      fixture.session.downloadTask(
        with: URLRequest(url: server.url()), to: folder.url("file"), replacingExisting: replacing))
    #expect(outcome.urlError?.code == .cannotMoveFile)
    #expect(try folder.contents() == ["file", "file/inside"])
    #expect(server.requests.isEmpty)
  }

  @Test("A destination whose folder is missing, or is a file, is refused before anything is sent")
  func missingFolder() async throws {
    let server = try server()
    let folder = try TemporaryFolder("destination")
    try folder.write(Data("old".utf8), to: "plain")
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    for (name, code) in [("none/file", ENOENT), ("plain/file", ENOTDIR)] {
      let outcome = try await fixture.run(
        fixture.session.downloadTask(with: URLRequest(url: server.url()), to: folder.url(name), replacingExisting: true)
      )
      #expect(outcome.urlError?.code == .cannotOpenFile)
      #expect(outcome.error?.underlyingPOSIXCode == Int(code))
    }
    #expect(try folder.contents() == ["plain"])
    #expect(server.requests.isEmpty)
  }

  @Test("A destination that is no file URL is refused")
  func foreignDestination() async throws {
    let server = try server()
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }
    let outcome = try await fixture.run(
      fixture.session.downloadTask(with: URLRequest(url: server.url()), to: server.url("/tmp/file")))
    #expect(outcome.urlError?.code == .cannotMoveFile)
    #expect(server.requests.isEmpty)
  }
}
