import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// SplitMix64, so that a failing run can be repeated.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

@Suite(.timeLimit(.minutes(3)))
struct NginxTruthTests {
  private static let count: Int64 = 64 << 20
  /// What may lie in the buffers of both sockets when a connection is given up: sent by the server, never read.
  private static let inFlight: Int64 = 8 << 20
  private static let rounds = 5

  @Test(
    "Five resumes at random points go on where the file ended",
    .enabled(if: isInstalled("nginx"), "nginx is not installed"), arguments: [1, 2] as [UInt64])
  func fiveResumes(seed: UInt64) async throws {
    let root = try TemporaryFolder("root")
    try root.write(Payload.bytes(seed: seed, count: Int(Self.count)), to: "file.bin")
    let nginx = try await Nginx.start(root: root.path, options: ServerOptions(bytesPerSecond: 6 << 20))
    let partials = try TemporaryFolder("partials")
    let configuration = URLSessionConfiguration.default
    configuration.partialsDirectory = partials.url("kept")
    let delegate = try RecordingDelegate()
    let session = DownloadSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    defer { session.invalidateAndCancel() }

    var generator = SeededGenerator(state: seed)
    let stops = (0..<Self.rounds).map { _ in Int64.random(in: 1..<Self.count * 9 / 10, using: &generator) }.sorted()
    var task = session.downloadTask(with: nginx.url("/file.bin"))
    var reached: [Int64] = []
    for stop in stops {
      // Cancelled within the callback: the test itself may come too late when others keep the machine busy.
      let given = Observed<[Data?]>([])
      delegate.onWrite = { task, total in
        guard total >= stop, task.state == .running else { return }
        task.cancel(byProducingResumeData: { data in given.update { $0.append(data) } })
      }
      task.resume()
      let data = try #require(try await given.wait(for: "resume data") { !$0.isEmpty }[0])
      let outcome = try await delegate.completion(of: task)
      #expect(outcome.urlError?.code == .cancelled)
      #expect(delegate.orderViolations(for: task) == [])
      reached.append(task.countOfBytesReceived)
      task = session.downloadTask(withResumeData: data)
    }
    delegate.onWrite = nil
    task.resume()
    let outcome = try await delegate.completion(of: task)
    #expect(outcome.error == nil)
    #expect(delegate.orderViolations(for: task) == [])
    let file = try #require(outcome.file)
    #expect(try Payload.verify(file: file.path, seed: seed, count: Self.count) == nil)

    let log = try await nginx.accessLog(atLeast: Self.rounds + 1)
    #expect(log.count == Self.rounds + 1)
    #expect(log.map(\.status) == [200] + Array(repeating: 206, count: Self.rounds))
    let starts = log.map { Self.start($0.range) }
    for (index, start) in starts.enumerated().dropFirst() {
      let before = log[index - 1]
      let end = starts[index - 1] + before.bodyBytes
      #expect(end - start <= Self.inFlight, "answer \(index) ended at \(end), the next began at \(start)")
      #expect(reached[index - 1] == start)
      #expect(log[index].ifRange != nil)
    }
    try await nginx.stop()
    #expect(try FileManager.default.contentsOfDirectory(atPath: partials.path("kept")).filter { $0 != ".lock" } == [])
  }

  private static func start(_ range: String?) -> Int64 {
    guard let range, range.hasPrefix("bytes="), range.hasSuffix("-") else { return 0 }
    return Int64(range.dropFirst("bytes=".count).dropLast()) ?? -1
  }
}
