import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import ResumableDownloads

/// A folder with what an ended a client left, and copies of it in which the next one is ended or fails, too.
struct KillScene: Sendable {
  /// Enough for a journal, which comes with the first MiB, and for a while after it.
  static let length = 1_600_000
  static let bytes = Payload.bytes(seed: 31, count: length)
  static let mebibyte: Int64 = 1 << 20

  let server: LoopbackServer
  let folder: TemporaryFolder
  let preload: Preload

  /// - Parameter answer: What the server sends to each request.
  init(_ answer: @escaping @Sendable (ReceivedRequest) -> Answer) async throws {
    server = try LoopbackServer(handler: answer)
    folder = try TemporaryFolder("scene")
    preload = try await Preload.library()
  }

  /// The right answer to every request.
  static let rest = rest()

  /// The right answers, of which the first break off.
  static func rest(_ drops: RangeResource.Drop...) -> RangeResource {
    RangeResource(.init(.data(bytes), entityTag: "\"k1\""), drops: drops)
  }

  var address: String { server.url("/file.bin").absoluteString }
  var stem: String { StagedName.stem(destinationName: "file.bin", url: address) }

  /// Runs a client in a folder to its end.
  func run(in place: TemporaryFolder, _ environment: [String: String?] = [:]) async throws -> ChildProcess.Result {
    try await ChildProcess.run(
      try Products.path("DownloadClient"), [address], environment: environment, folder: place.path)
  }

  /// Runs it with orders for the library that watches it.
  func run(in place: TemporaryFolder, _ orders: [Preload.Order], log: String? = nil) async throws
    -> ChildProcess.Result
  {
    try await run(in: place, preload.environment(folder: place.path, log: log, orders: orders))
  }

  /// A copy of the folder; no file knows that it was moved.
  func copy() throws -> TemporaryFolder {
    let copy = try TemporaryFolder("copy")
    for name in try folder.contents() {
      try FileManager.default.copyItem(atPath: folder.path(name), toPath: copy.path(name))
    }
    return copy
  }

  /// How often each kind of call comes when nothing goes wrong.
  func counts() async throws -> [String: Int] {
    let (place, logs) = (try copy(), try TemporaryFolder("logs"))
    let result = try await run(in: place, [], log: logs.path("log"))
    #expect(result.exit == .exited(0), "\(result.errorText)")
    return try DiskCall.read(logs.path("log")).reduce(into: [:]) { $0[$1.kind, default: 0] += 1 }
  }

  /// The size of a file, nil if it is not there.
  static func size(_ path: String) -> Int64? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.int64Value
  }

  /// Runs the same command again and expects the right file and nothing else.
  ///
  /// - Parameter mostLost: How many of the bytes that are there may be fetched again.
  func recover(in place: TemporaryFolder, mostLost: Int64? = nil, _ comment: String) async throws {
    let wasThere = FileManager.default.fileExists(atPath: place.path("file.bin"))
    let kept = Self.size(place.path(stem + ".partial")) ?? 0
    let hadJournal = Self.size(place.path(stem + ".resume")) != nil
    let asked = server.requests.count
    let result = try await run(in: place)
    #expect(result.exit == .exited(wasThere ? 1 : 0), "\(result.errorText), \(comment)")
    #expect(try place.contents() == ["file.bin"], "\(comment)")
    #expect(try Data(contentsOf: place.url("file.bin")) == Self.bytes, "\(comment)")
    guard !wasThere, let request = server.requests.dropFirst(asked).first else { return }
    // Without a journal everything comes again, but then there is not much.
    let limit = mostLost ?? (hadJournal ? 0 : Self.mebibyte + 64 * 1024)
    #expect(kept - (request.rangeStart ?? 0) <= limit, "\(kept) kept, \(request.rangeStart ?? 0) asked, \(comment)")
  }
}
