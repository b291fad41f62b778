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

  private static func hasConverged(_ after: ProcessCounters, _ before: ProcessCounters) -> Bool {
    after.descriptors <= before.descriptors + tolerance && after.threads <= before.threads + tolerance
  }
}
