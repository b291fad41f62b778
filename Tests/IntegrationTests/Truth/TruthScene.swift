import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// A real server behind a relay, the file that it serves, and a folder of partial files.
struct TruthScene {
  static let length = 16 << 20
  /// Where downloads are interrupted: not on the boundary of anything.
  static let firstPart: Int64 = 6_291_469

  let server: any RealServer
  /// Between the client and the server, to interrupt answers.
  let relay: Relay
  let file: ServedFile
  private let partials: TemporaryFolder

  /// Starts a server that has no file yet.
  ///
  /// - Parameter name: The file's name, whose ending tells the server whether it is text.
  init(
    _ kind: any RealServer.Type, serving name: String = "file.bin", options: ServerOptions = ServerOptions()
  ) async throws {
    file = try ServedFile(name)
    partials = try TemporaryFolder("partials")
    server = try await kind.start(root: file.root.path, options: options)
    relay = try Relay(to: server.process.port)
  }

  /// Names of the partial files and journals that are there.
  var leftovers: [String] { partials.partials(in: "kept") }

  /// Downloads the file in a session of its own.
  func download(fields: [String: String] = [:]) async throws -> TruthRun {
    try await run({ $0.downloadTask(with: request(fields)) })
  }

  /// Downloads the file until it is interrupted at `firstPart`, which must leave resume data.
  func interrupt(_ ending: Relay.Ending) async throws -> Data {
    let run = try await interruptedRun(ending, at: Self.firstPart)
    #expect(run.outcome.urlError?.code == (ending == .hold ? .cancelled : .networkConnectionLost))
    #expect(run.outcome.file == nil)
    #expect(run.violations == [])
    #expect(run.passages.map(\.bodyBytes) == [Self.firstPart])
    let blob = try #require(run.outcome.resumeData)
    #expect(try ResumeData(blob).byteOffset == Self.firstPart)
    return blob
  }

  /// Downloads the file until `count` bytes of the body have come, and cancels it if the connection holds.
  func interruptedRun(
    _ ending: Relay.Ending, at count: Int64, fields: [String: String] = [:]
  ) async throws -> TruthRun {
    relay.interruptNext(afterBodyBytes: count, ending)
    func cancel(_ delegate: RecordingDelegate, _ task: URLSessionDownloadTask) async throws {
      guard ending == .hold else { return }
      // A coded body gives another number of bytes: any will do.
      try await delegate.waitForBytes(fields.isEmpty ? count : 1, of: task)
      let data = await task.cancelByProducingResumeData()
      let outcome = try await delegate.completion(of: task)
      #expect(outcome.resumeData == data)
    }
    return try await run({ $0.downloadTask(with: request(fields)) }, meanwhile: cancel)
  }

  /// Continues a download in a session of its own.
  func resume(_ blob: Data) async throws -> TruthRun {
    try await run({ $0.downloadTask(withResumeData: blob) })
  }

  private func request(_ fields: [String: String]) -> URLRequest {
    var request = URLRequest(url: relay.url("/\(file.name)"))
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  private func run(
    _ make: (DownloadSession) -> URLSessionDownloadTask,
    meanwhile act: (RecordingDelegate, URLSessionDownloadTask) async throws -> Void = { _, _ in }
  ) async throws -> TruthRun {
    let delegate = try RecordingDelegate()
    let configuration = URLSessionConfiguration.default
    configuration.partialsDirectory = partials.url("kept")
    let session = DownloadSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let task = make(session)
    let before = relay.passages.count
    task.resume()
    try await act(delegate, task)
    let outcome = try await delegate.completion(of: task)
    return TruthRun(
      delegate: delegate, outcome: outcome, passages: Array(relay.passages.dropFirst(before)),
      violations: delegate.orderViolations(for: task))
  }
}

/// What one task did.
struct TruthRun: Sendable {
  /// Keeps the finished file.
  let delegate: RecordingDelegate
  let outcome: DownloadOutcome
  /// The connections of this task.
  let passages: [Relay.Passage]
  let violations: [String]

  /// Expects success with those bytes, and callbacks in order.
  func expect(_ body: Data, resumedAt offsets: [Int64], sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(outcome.error == nil, sourceLocation: sourceLocation)
    #expect(outcome.data?.count == body.count, sourceLocation: sourceLocation)
    #expect(outcome.data == body, sourceLocation: sourceLocation)
    #expect(outcome.resumeOffsets == offsets, sourceLocation: sourceLocation)
    #expect(violations == [], sourceLocation: sourceLocation)
  }

  /// Expects that the first request asked for the rest of the version that was begun.
  func expectRange(_ blob: Data, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let record = try ResumeData(blob)
    let request = String(decoding: passages.first?.request ?? Data(), as: UTF8.self).components(separatedBy: "\r\n")
    let tag = try #require(record.entityTag, sourceLocation: sourceLocation)
    #expect(request.contains("Range: bytes=\(record.byteOffset)-"), sourceLocation: sourceLocation)
    #expect(request.contains("If-Range: \(tag)"), sourceLocation: sourceLocation)
    #expect(request.contains("Accept-Encoding: identity"), sourceLocation: sourceLocation)
  }

  /// The statuses and fields of the first answer on each connection, in lower case.
  var heads: [String] { passages.map { String(decoding: $0.head, as: UTF8.self).lowercased() } }
}
