import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import ResumableDownloads

/// A download by a client in several processes, ended on the way, with all that they do to their folder written down.
struct RecordedDownload: Sendable {
  /// A state of the resource.
  struct Version: Sendable {
    let seed: UInt64
    var tag: String { "\"v\(seed)\"" }
    var bytes: Data { Payload.bytes(seed: seed, count: RecordedDownload.length) }
    var resource: RangeResource {
      RangeResource(.init(.data(bytes), entityTag: tag, lastModified: "Mon, 0\(seed) Jan 2024 10:00:00 GMT"))
    }
  }

  static let length = 48_000
  static let versions = [Version(seed: 1), Version(seed: 2)]
  /// Small pieces make many writes, between which the power can fail.
  private static let piece = 2_000

  let folder: TemporaryFolder
  let server: LoopbackServer
  private let logs: TemporaryFolder
  private let preload: Preload
  private let answer: Observed<@Sendable (ReceivedRequest) -> Answer>

  init() async throws {
    folder = try TemporaryFolder("recorded")
    logs = try TemporaryFolder("logs")
    preload = try await Preload.library()
    let answer = Observed<@Sendable (ReceivedRequest) -> Answer> { _ in .status(500) }
    self.answer = answer
    server = try LoopbackServer { request in answer.value(request) }
  }

  private var address: String { server.url("/file.bin").absoluteString }
  var stem: String { StagedName.stem(destinationName: "file.bin", url: address) }

  /// What a run waits for: a journal that was not synced, or one that was.
  enum Event: String {
    case journal = ".resume.new"
    case checkpoint = ".resume.sync"
  }

  /// Runs a client against a server that falls silent after `count` bytes until `event`, and then ends it.
  ///
  /// - Parameter start: Where the server begins; nil is where it was asked to.
  func run(
    _ version: Version, sending count: Int64, from start: Int64? = nil, until event: Event,
    end signal: Int32 = SIGKILL
  ) async throws {
    let (earlier, asked) = (renames(event), server.requests.count)
    @Sendable func begin(_ start: Int64?) -> Int64 {
      guard let request = server.requests.dropFirst(asked).first else { return .max - count }
      return start ?? (request.value("If-Range") == version.tag ? request.rangeStart ?? 0 : 0)
    }
    let resource = version.resource
    serve { request in
      let answer: Answer
      if let start {
        answer = .partial(of: .data(version.bytes), start..<Int64(Self.length), [("ETag", version.tag)])
      } else {
        answer = resource.answer(request)
      }
      return answer.cut(after: count, .hang).paced(chunk: Self.piece, pauseMilliseconds: 1)
    }
    let environment = preload.environment(folder: folder.path, log: logs.path("log"))
    let child = try ChildProcess(
      try Products.path("DownloadClient"), [address], environment: environment, folder: folder.path)
    // A write that is under way at the end is done and not written down, so the log has to have all that comes.
    let isThere = try await child.reaches("\(count) bytes and a journal", in: logs.path) { _ in
      renames(event) > earlier && Int64(longestPartial()) >= begin(start) + count
    }
    #expect(isThere, "\(String(decoding: child.errors, as: UTF8.self))")
    child.send(signal)
    #expect(try await child.waitForExit() == (signal == SIGINT ? .exited(130) : .signalled(signal)))
  }

  /// Lets a client come to its end, recorded if `folder` is that of this download.
  func finish(_ version: Version, in place: TemporaryFolder? = nil) async throws -> ChildProcess.Result {
    let resource = version.resource
    serve { resource.answer($0).paced(chunk: Self.piece * 6, pauseMilliseconds: 0) }
    let environment = place == nil ? preload.environment(folder: folder.path, log: logs.path("log")) : [:]
    return try await ChildProcess.run(
      try Products.path("DownloadClient"), [address], environment: environment, folder: (place ?? folder).path)
  }

  /// Removes the finished file, as a user may.
  func removeFile() throws {
    try FileManager.default.removeItem(atPath: folder.path("file.bin"))
    let log = try FileHandle(forWritingTo: logs.url("log"))
    try log.seekToEnd()
    try log.write(contentsOf: Data("unlink\tfile.bin\n".utf8))
    try log.close()
  }

  /// What was done so far.
  func calls() throws -> [DiskCall] { try DiskCall.read(logs.path("log")) }

  private func serve(_ make: @escaping @Sendable (ReceivedRequest) -> Answer) { answer.update { $0 = make } }

  /// How many journals of a kind were put in place so far.
  private func renames(_ event: Event) -> Int {
    let log = (try? Data(contentsOf: logs.url("log"))) ?? Data()
    let line = Data("rename\t\(stem)\(event.rawValue)\t".utf8)
    var (count, place) = (0, log.startIndex)
    while let found = log.range(of: line, in: place..<log.endIndex) {
      count += 1
      place = found.upperBound
    }
    return count
  }

  /// The size of the longest partial file that is written down; 0 while a line is being written.
  private func longestPartial() -> Int {
    let model = ((try? calls()) ?? []).reduce(into: DiskModel()) { $0.apply($1) }
    return model.names.filter { $0.key.hasSuffix(".partial") }.compactMap { model.files[$0.value]?.current.count }.max()
      ?? 0
  }
}
