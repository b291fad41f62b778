import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// A scripted server and a folder of partial files, which outlive the sessions that use them.
struct FaultScene: Sendable {
  static let seed: UInt64 = 7
  static let length: Int64 = 1_000_000
  static let firstPart: Int64 = 400_000
  static let entityTag = "\"a1\""
  static let lastModified = "Mon, 01 Jan 2024 10:00:00 GMT"
  static let validators: [Answer.Field] = [
    ("Accept-Ranges", "bytes"), ("ETag", entityTag), ("Last-Modified", lastModified),
  ]

  /// The file that the first answer begins.
  static let whole = Payload.bytes(seed: seed, count: Int(length))
  /// Another file of the same length.
  static let other = Payload.bytes(seed: 8, count: Int(length))
  static let otherValidators: [Answer.Field] = [
    ("ETag", "\"b1\""), ("Last-Modified", "Tue, 02 Jan 2024 10:00:00 GMT"),
  ]

  let server: LoopbackServer
  /// Holds the folder of partial files, which the library makes itself because it must be private.
  let folder: TemporaryFolder
  var timeout: TimeInterval = 60
  var totalTimeout: TimeInterval = 600
  var retryPolicy: RetryPolicy?
  /// The certificate to trust, in PEM.
  var trustAnchor: String?

  /// A server that plays the script.
  init(_ script: [Answer]) throws {
    server = try LoopbackServer(script)
    folder = try TemporaryFolder("faults")
  }

  /// Where partial files lie.
  var partials: URL { folder.url("partials") }

  /// Names of the partial files and journals that lie there.
  var leftovers: [String] { folder.partials(in: "partials") }

  /// What lies in the scene's folder. A checkpoint that comes late removes its file by itself, which is left out.
  var contents: [String] { get throws { try folder.contents().filter { !$0.hasSuffix(".sync") } } }

  /// A server whose first answer breaks off after 400,000 bytes, and that then plays the script.
  init(interrupted ending: Answer.Ending = .reset, then script: Answer...) throws {
    try self.init([Self.beginning(ending)] + script)
  }

  /// The whole file of which only the first part comes.
  static func beginning(_ ending: Answer.Ending = .reset) -> Answer {
    Answer.ok(whole, validators).cut(after: firstPart, ending)
  }

  /// The right answer: whatever of the file the request asks for.
  static let rest = Answer.from(RangeResource(.init(.data(whole))).answer)

  /// The same for the other file.
  static let otherRest = Answer.from(
    RangeResource(.init(.data(other), entityTag: "\"b1\"", lastModified: "Tue, 02 Jan 2024 10:00:00 GMT")).answer)

  /// An answer that depends on where the request begins.
  static func from(_ make: @escaping @Sendable (Int64) -> Answer) -> Answer {
    .from { make($0.rangeStart ?? 0) }
  }

  /// Runs a new task to its end.
  func start(_ path: String = "/file", headers: [String: String] = [:]) async throws -> FaultRun {
    var request = URLRequest(url: server.url(path))
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    return try await run { $0.downloadTask(with: request) }
  }

  /// Runs a new task that must break off, and returns what it can be continued with.
  func interrupt(_ path: String = "/file", headers: [String: String] = [:]) async throws -> Data {
    let run = try await start(path, headers: headers)
    #expect(run.violations == [])
    #expect(run.outcome.urlError?.code == .networkConnectionLost)
    #expect(run.outcome.file == nil)
    return try #require(run.outcome.resumeData)
  }

  /// Runs a task that continues a download to its end, in a session of its own.
  func resume(_ blob: Data) async throws -> FaultRun {
    try await run { $0.downloadTask(withResumeData: blob) }
  }

  /// Breaks a download off and continues it.
  func interruptAndResume(_ path: String = "/file", headers: [String: String] = [:]) async throws -> FaultRun {
    try await resume(try await interrupt(path, headers: headers))
  }

  /// A session over the scene's partial files.
  func session(_ delegate: RecordingDelegate) -> DownloadSession {
    let configuration = URLSessionConfiguration.default
    configuration.partialsDirectory = partials
    configuration.timeoutIntervalForRequest = timeout
    configuration.timeoutIntervalForResource = totalTimeout
    configuration.retryPolicy = retryPolicy
    configuration.trustAnchorsFile = trustAnchor.map { URL(fileURLWithPath: $0) }
    return DownloadSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  /// Runs a task that moves its file to a place in the scene's folder by itself.
  func download(_ path: String = "/file", to name: String, replacing: Bool = false) async throws -> FaultRun {
    let request = URLRequest(url: server.url(path))
    return try await run(keeping: .leave) {
      $0.downloadTask(with: request, to: folder.url(name), replacingExisting: replacing)
    }
  }

  /// Runs a task to its end, in a session of its own.
  func run(
    keeping: RecordingDelegate.Keeping = .move, _ make: (DownloadSession) -> URLSessionDownloadTask
  ) async throws -> FaultRun {
    let delegate = try RecordingDelegate(keeping: keeping)
    let session = session(delegate)
    defer { session.invalidateAndCancel() }
    let task = make(session)
    let before = server.requests.count
    task.resume()
    let outcome = try await delegate.completion(of: task)
    return FaultRun(
      delegate: delegate, task: task, outcome: outcome, requests: Array(server.requests.dropFirst(before)),
      violations: delegate.orderViolations(for: task, allowingRestarts: retryPolicy != nil))
  }
}

/// What one task did.
struct FaultRun: Sendable {
  /// Keeps the finished file.
  let delegate: RecordingDelegate
  let task: URLSessionDownloadTask
  let outcome: DownloadOutcome
  /// The requests of this task.
  let requests: [ReceivedRequest]
  let violations: [String]

  /// Expects success with those bytes, and callbacks in order.
  func expect(_ body: Data, resumedAt offsets: [Int64], sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(outcome.error == nil, sourceLocation: sourceLocation)
    #expect(outcome.data == body, sourceLocation: sourceLocation)
    #expect(outcome.resumeOffsets == offsets, sourceLocation: sourceLocation)
    #expect(violations == [], sourceLocation: sourceLocation)
  }

  /// Expects a failure without a file, and callbacks in order.
  func expect(failure code: URLError.Code, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(outcome.urlError?.code == code, sourceLocation: sourceLocation)
    #expect(outcome.file == nil, sourceLocation: sourceLocation)
    #expect(violations == [], sourceLocation: sourceLocation)
  }

  /// Expects the failure to hand back resume data for the same offset.
  func expect(
    failure code: URLError.Code, keeping blob: Data, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Data {
    expect(failure: code, sourceLocation: sourceLocation)
    let kept = try #require(outcome.resumeData, sourceLocation: sourceLocation)
    #expect(
      try ResumeData(kept).byteOffset == ResumeData(blob).byteOffset, sourceLocation: sourceLocation)
    return kept
  }

  /// Expects one conditional range request, and returns where it begins.
  @discardableResult
  func expectRange(
    ifRange: String? = FaultScene.entityTag, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Int64 {
    let request = try #require(requests.first, sourceLocation: sourceLocation)
    let start = try #require(request.rangeStart, sourceLocation: sourceLocation)
    #expect(start > 0 && start <= FaultScene.firstPart, sourceLocation: sourceLocation)
    #expect(request.values("Range") == ["bytes=\(start)-"], sourceLocation: sourceLocation)
    #expect(request.values("If-Range") == (ifRange.map { [$0] } ?? []), sourceLocation: sourceLocation)
    return start
  }
}
