import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)))
struct NginxTruthTests {
  private static let count: Int64 = 32 << 20
  /// How far an answer goes on after the point at which the client cancels; 0 is the case in which nothing may be lost.
  private static let excess: [Int64] = [0, 1 << 20, 0, 1 << 20, 0]

  @Test(
    "Five resumes at random points go on where the file ended, and every byte that came is kept",
    .enabled(if: Products.isInstalled("nginx"), "nginx is not installed"), arguments: [1, 2] as [UInt64])
  func fiveResumes(seed: UInt64) async throws {
    let root = try TemporaryFolder("root")
    let body = Payload.bytes(seed: seed, count: Int(Self.count))
    try root.write(body, to: "file.bin")
    let nginx = try await Nginx.start(root: root.path)
    // Not the server decides how much reaches the client: what lies in sockets is sent, and never read.
    let relay = try Relay(to: nginx.process.port)
    let fixture = try SessionFixture()
    defer { fixture.session.invalidateAndCancel() }

    var generator = SeededGenerator(seed: seed)
    var task = fixture.session.downloadTask(with: relay.url("/file.bin"))
    var starts: [Int64] = [0]
    for (stop, excess) in zip(Self.stops(&generator), Self.excess) {
      let start = starts[starts.count - 1]
      relay.interruptNext(afterBodyBytes: stop + excess - start, .hold)
      let data = try #require(try await Self.cancel(task, at: stop, fixture.delegate))
      let outcome = try await fixture.delegate.completion(of: task)
      #expect(outcome.urlError?.code == .cancelled)
      #expect(fixture.delegate.orderViolations(for: task) == [])
      let reached = task.countOfBytesReceived
      #expect((stop...stop + excess).contains(reached))
      #expect(try ResumeData(data).byteOffset == reached)
      starts.append(reached)
      task = fixture.session.downloadTask(withResumeData: data)
    }
    fixture.delegate.onWrite = nil
    let outcome = try await fixture.run(task)
    #expect(outcome.error == nil)
    #expect(outcome.resumeOffsets == starts.suffix(1))
    #expect(fixture.delegate.orderViolations(for: task) == [])
    #expect(outcome.data == body)
    #expect(fixture.kept == [])

    let log = try await nginx.accessLog(atLeast: starts.count)
    #expect(log.map(\.status) == [200] + Array(repeating: 206, count: Self.excess.count))
    #expect(log.map(\.range) == [nil] + starts.dropFirst().map { "bytes=\($0)-" })
    #expect(log.map { $0.ifRange != nil } == [false] + Array(repeating: true, count: Self.excess.count))
    try await nginx.stop()
  }

  /// Points to stop at, so far apart that what comes after one does not reach the next.
  private static func stops(_ generator: inout SeededGenerator) -> [Int64] {
    let part = count / Int64(excess.count + 1)
    return excess.indices.map { Int64($0) * part + Int64.random(in: 1..<part / 2, using: &generator) }
  }

  /// Cancels a task in the callback that tells of `stop` bytes, and returns its resume data.
  private static func cancel(
    _ task: URLSessionDownloadTask, at stop: Int64, _ delegate: RecordingDelegate
  ) async throws -> Data? {
    let given = Observed<[Data?]>([])
    delegate.onWrite = { task, total in
      guard total >= stop, task.state == .running else { return }
      task.cancel(byProducingResumeData: { data in given.update { $0.append(data) } })
    }
    task.resume()
    return try await given.wait(for: "resume data") { !$0.isEmpty }[0]
  }
}
