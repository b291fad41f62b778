import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)), .serialized)
struct LeakTests {
  private static let sessions = 200
  /// What tests that run at the same time may hold.
  private static let tolerance = 60

  @Test("Sessions that were used and invalidated leave no thread and no descriptor")
  func sessions() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8), [("Connection", "close")]) }
    let before = try ProcessCounters.now()
    for number in 0..<Self.sessions {
      let fixture = try SessionFixture()
      #expect(try await fixture.run(fixture.session.downloadTask(with: server.url())).error == nil)
      if number % 2 == 0 { fixture.session.finishTasksAndInvalidate() } else { fixture.session.invalidateAndCancel() }
      try await fixture.delegate.invalidated()
    }
    // The system has no event for the end of a thread, so the counts are read until they have come down.
    let deadline = ContinuousClock.now + .seconds(60)
    var after = try ProcessCounters.now()
    while !Self.hasConverged(after, before), ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(20))
      after = try ProcessCounters.now()
    }
    #expect(Self.hasConverged(after, before), "\(before) became \(after)")
  }

  @Test("A thousand downloads of one session leave memory and descriptors as they were")
  func downloads() async throws {
    let body = Payload.bytes(seed: 17, count: 64 * 1024)
    let server = try LoopbackServer { _ in .ok(body) }
    let session = DownloadSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    func download(_ count: Int) async throws {
      for _ in 0..<count {
        let (file, _) = try await session.download(from: server.url())
        try FileManager.default.removeItem(at: file)
      }
    }
    try await download(100)
    let (before, memory) = (try ProcessCounters.now(), try ProcessCounters.residentBytes())
    try await download(1000)
    let after = try ProcessCounters.now()
    #expect(Self.hasConverged(after, before), "\(before) became \(after)")
    #if !THREAD_SANITIZER
      // The server's list of requests is part of it; one body a download would be four times as much.
      let growth = try ProcessCounters.residentBytes() - memory
      #expect(growth < 16 << 20, "\(growth) bytes")
    #endif
  }

  private static func hasConverged(_ after: ProcessCounters, _ before: ProcessCounters) -> Bool {
    after.descriptors <= before.descriptors + tolerance && after.threads <= before.threads + tolerance
  }
}
