import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct EventsTests {
  private static let count: Int64 = 300_000

  private func resource(_ drops: RangeResource.Drop...) -> RangeResource {
    RangeResource(.init(.generated(seed: 21, count: Self.count)), drops: drops)
  }

  /// A session without a delegate, and the folder of its partial files.
  private func session() throws -> (DownloadSession, TemporaryFolder) {
    let folder = try TemporaryFolder("events")
    let configuration = URLSessionConfiguration.default
    configuration.partialsDirectory = folder.url("kept")
    return (DownloadSession(configuration: configuration), folder)
  }

  private func all(_ events: DownloadTask.Events) async throws -> [DownloadTask.Event] {
    var list: [DownloadTask.Event] = []
    for try await event in events { list.append(event) }
    return list
  }

  private func file(_ events: [DownloadTask.Event]) throws -> URL {
    guard case .finished(let file)? = events.last else { throw ServerError.timedOut("finished") }
    return file
  }

  @Test("Progress grows to the total, then comes the file, which belongs to the reader")
  func fresh() async throws {
    let (middle, go) = (Gate(), Gate())
    let resource = resource()
    let server = try LoopbackServer {
      resource.answer($0).inserting(.signal(middle), .wait(go), after: 100_000)
    }
    let (session, folder) = try session()
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: server.url())
    var events: [DownloadTask.Event] = []
    task.resume()
    for try await event in task.events {
      events.append(event)
      if event == .progress(written: 100_000, expected: Self.count) { go.open() }
    }
    let file = try file(events)
    let written = events.dropLast().map { event -> Int64 in
      if case .progress(let written, Self.count) = event { written } else { -1 }
    }
    #expect(written == written.sorted() && Set(written).count == written.count)
    #expect(written.contains(100_000) && written.last == Self.count)
    #expect(task.state == .completed)
    #expect(try Payload.verify(file: file.path, seed: 21, count: Self.count) == nil)
    try FileManager.default.removeItem(at: file)
    #expect(try folder.contents() == ["kept"])
    #expect(server.requests.map(\.rangeStart) == [nil])
  }

  @Test("A continued download first tells from where, and a restart that it is from the start")
  func resumed() async throws {
    let resource = resource(.dropAfter(100_000), .dropAfter(50_000))
    let server = try LoopbackServer(handler: resource.answer)
    let (session, _) = try session()
    defer { session.invalidateAndCancel() }
    let first = session.downloadTask(with: server.url())
    first.resume()
    let lost = await #expect(throws: URLError.self) { try await all(first.events) }
    let data = try #require(lost?.downloadTaskResumeData)
    let second = session.downloadTask(withResumeData: data)
    second.resume()
    var events: [DownloadTask.Event] = []
    let again = await #expect(throws: URLError.self) {
      for try await event in second.events { events.append(event) }
    }
    #expect(events.first == .resumed(offset: 100_000, expected: Self.count))
    #expect(events.last == .progress(written: 150_000, expected: Self.count))
    resource.replace(with: .init(.generated(seed: 22, count: 400_000), entityTag: "\"b\""))
    let third = session.downloadTask(withResumeData: try #require(again?.downloadTaskResumeData))
    third.resume()
    events = try await all(third.events)
    #expect(events.first == .resumed(offset: 0, expected: 400_000))
    let file = try file(events)
    #expect(try Payload.verify(file: file.path, seed: 22, count: 400_000) == nil)
    try FileManager.default.removeItem(at: file)
    #expect(server.requests.map(\.rangeStart) == [nil, 100_000, 150_000])
  }

  @Test("Whoever reads slowly or late gets the last progress and the end, and so does everyone else")
  func lateReaders() async throws {
    let server = try LoopbackServer(handler: resource().answer)
    let (session, folder) = try session()
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: server.url())
    var early = task.events.makeAsyncIterator()
    task.resume()
    let events = try await all(task.events)
    let file = try file(events)
    let end: [DownloadTask.Event] = [.progress(written: Self.count, expected: Self.count), .finished(file)]
    var read: [DownloadTask.Event] = []
    while let event = try await early.next() { read.append(event) }
    #expect(read == end)
    #expect(try await early.next() == nil)
    #expect(try await all(task.events) == end)
    #expect(try Payload.verify(file: file.path, seed: 21, count: Self.count) == nil)
    try FileManager.default.removeItem(at: file)
    #expect(try folder.contents() == ["kept"])
  }

  @Test("Without a delegate the file waits for a reader as long as the task lives, and then goes")
  func unclaimedFile() async throws {
    let server = try LoopbackServer(handler: resource().answer)
    let (session, folder) = try session()
    defer { session.invalidateAndCancel() }
    var task: DownloadTask? = session.downloadTask(with: server.url())
    weak let released = task
    task?.resume()
    try await eventually("the end of the download") { task?.state == .completed }
    #expect(try folder.contents().count == 2)
    task = nil
    try await FolderWatch.wait(in: folder.path("kept"), for: "the file to go") { (try? folder.contents()) == ["kept"] }
    #expect(released == nil)
  }

  @Test("A file that a delegate left is kept for a reader, and removed without one", arguments: [true, false])
  func besideDelegate(isRead: Bool) async throws {
    let server = try LoopbackServer(handler: resource().answer)
    let (_, folder) = try session()
    let delegate = try RecordingDelegate(keeping: .copy)
    let configuration = URLSessionConfiguration.default
    configuration.partialsDirectory = folder.url("kept")
    let session = DownloadSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: server.url())
    let reader = isRead ? task.events.makeAsyncIterator() : nil
    task.resume()
    let outcome = try await delegate.completion(of: task)
    #expect(outcome.data == Payload.bytes(seed: 21, count: Int(Self.count)))
    let left = try #require(outcome.temporaryFile)
    #expect(FileManager.default.fileExists(atPath: left.path) == isRead)
    guard var reader else { return }
    var last: DownloadTask.Event?
    while let event = try await reader.next() { last = event }
    #expect(last == .finished(left))
    try FileManager.default.removeItem(at: left)
    #expect(delegate.orderViolations(for: task) == [])
  }

  @Test("A file that a completion handler left is kept for a reader")
  func besideHandler() async throws {
    let server = try LoopbackServer(handler: resource().answer)
    let (session, _) = try session()
    defer { session.invalidateAndCancel() }
    let handed = Observed<URL?>(nil)
    let task = session.downloadTask(with: server.url()) { file, _, _ in handed.update { $0 = file } }
    var reader = task.events.makeAsyncIterator()
    task.resume()
    var last: DownloadTask.Event?
    while let event = try await reader.next() { last = event }
    let file = try #require(handed.value)
    #expect(last == .finished(file))
    #expect(try Payload.verify(file: file.path, seed: 21, count: Self.count) == nil)
    try FileManager.default.removeItem(at: file)
  }

  @Test("Cancelling a reader ends its iteration and not the download")
  func cancelledReader() async throws {
    let go = Gate()
    let resource = resource()
    let server = try LoopbackServer { resource.answer($0).inserting(.wait(go), after: 100_000) }
    let (session, _) = try session()
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: server.url())
    task.resume()
    let seen = Observed<[DownloadTask.Event]>([])
    let reader = Task {
      for try await event in task.events { seen.update { $0.append(event) } }
    }
    _ = try await seen.wait(for: "the first part") { $0.last == .progress(written: 100_000, expected: Self.count) }
    reader.cancel()
    try await reader.value
    #expect(task.state == .running)
    go.open()
    let file = try file(try await all(task.events))
    #expect(try Payload.verify(file: file.path, seed: 21, count: Self.count) == nil)
    try FileManager.default.removeItem(at: file)
    #expect(seen.value.allSatisfy { if case .finished = $0 { false } else { true } })
  }

  @Test("A failure is thrown to every reader, once, with resume data")
  func failure() async throws {
    let server = try LoopbackServer(handler: resource(.dropAfter(100_000)).answer)
    let (session, _) = try session()
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: server.url())
    var early = task.events.makeAsyncIterator()
    task.resume()
    _ = await #expect(throws: URLError.self) { try await all(task.events) }
    #expect(try await early.next() == .progress(written: 100_000, expected: Self.count))
    let error = await #expect(throws: URLError.self) { try await early.next() }
    #expect(error?.code == .networkConnectionLost)
    #expect(error?.downloadTaskResumeData != nil)
    #expect(try await early.next() == nil)
  }

  @Test("A task that goes without having been started ends its readers")
  func released() async throws {
    var session: DownloadSession? = DownloadSession(configuration: .default)
    let address = try #require(URL(string: "http://127.0.0.1/"))
    let events = try #require(session).downloadTask(with: address).events
    let reader = Task { try await all(events) }
    session = nil
    let error = await #expect(throws: URLError.self) { try await reader.value }
    #expect(error?.code == .cancelled)
  }

  @Test("A download to a destination ends with the destination")
  func destination() async throws {
    let server = try LoopbackServer(handler: resource().answer)
    let (session, folder) = try session()
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: URLRequest(url: server.url()), to: folder.url("file"))
    task.resume()
    #expect(try await all(task.events).last == .finished(folder.url("file")))
    #expect(try folder.contents() == ["file"])
    #expect(try Payload.verify(file: folder.path("file"), seed: 21, count: Self.count) == nil)
  }

  @Test("An empty file and one of unknown length end with the file too")
  func emptyAndUnknown() async throws {
    let server = try LoopbackServer { request in
      request.path == "/empty" ? .ok(Data()) : .chunked([Data("ab".utf8), Data("c".utf8)])
    }
    let (session, _) = try session()
    defer { session.invalidateAndCancel() }
    for (path, content) in [("/empty", ""), ("/unknown", "abc")] {
      let task = session.downloadTask(with: server.url(path))
      task.resume()
      let events = try await all(task.events)
      let file = try file(events)
      #expect(try Data(contentsOf: file) == Data(content.utf8))
      #expect(events.contains(.progress(written: 3, expected: NSURLSessionTransferSizeUnknown)) == (path == "/unknown"))
      try FileManager.default.removeItem(at: file)
    }
  }
}
