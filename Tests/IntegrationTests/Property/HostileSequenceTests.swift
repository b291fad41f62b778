import Foundation
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Thousands of generated answer sequences. `RESUMABLE_DOWNLOADS_SEQUENCES` sets how many and
/// `RESUMABLE_DOWNLOADS_SEED` the seed of the first; the others follow by one.
@Suite(.timeLimit(.minutes(10)))
struct HostileSequenceTests {
  private static let count = setting("SEQUENCES") ?? 2_000
  private static let seed = setting("SEED") ?? 1
  /// How many run at the same time.
  private static let width = 24

  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment["RESUMABLE_DOWNLOADS_\(name)"].flatMap { UInt64($0) }
  }

  @Test("Whatever a server answers, a download is one version in full, or fails and can be continued where possible")
  func sequences() async throws {
    let running = Observed<[String: HostileSequence]>([:])
    let server = try LoopbackServer { request in
      let name = String(request.path.split(separator: "/").first ?? "")
      return running.read { $0[name] }?.answer(request) ?? .status(500)
    }
    let folder = try TemporaryFolder("hostile")
    let sessions = SequenceRun.Sessions(partials: folder.url("partials"))
    defer { sessions.invalidate() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<Self.count {
        if index >= Self.width { try await group.next() }
        group.addTask {
          let sequence = HostileSequence(seed: Self.seed &+ index)
          let name = "\(sequence.seed)"
          running.update { $0[name] = sequence }
          let run = SequenceRun(sequence: sequence, sessions: sessions, url: server.url("/\(name)/file"))
          let faults = try await run.faults()
          running.update { $0[name] = nil }
          #expect(faults == [], "\(sequence.text)")
        }
      }
      try await group.waitForAll()
    }
  }
}
