import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct LeakTests {
  /// What a process held at a moment.
  private struct Counts {
    let descriptors: Int
    let threads: Int
    let bytes: Int

    init(_ line: Substring) throws {
      let numbers = line.split(separator: " ").compactMap { Int($0) }
      try #require(numbers.count == 3, "\(line)")
      (descriptors, threads, bytes) = (numbers[0], numbers[1], numbers[2])
    }
  }

  /// What a client holds before and after its downloads.
  private func counts(_ kind: String, of server: LoopbackServer) async throws -> (before: Counts, after: Counts) {
    let result = try await ChildProcess.run(
      try Products.path("LeakClient"), [kind, server.url().absoluteString], timeoutSeconds: 150)
    #expect(result.exit == .exited(0), "\(result.errorText)")
    let lines = result.text.split(separator: "\n")
    try #require(lines.count == 2)
    return (try Counts(lines[0]), try Counts(lines[1]))
  }

  @Test("Sessions that were used and invalidated leave no thread and no descriptor")
  func sessions() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8), [("Connection", "close")]) }
    let (before, after) = try await counts("sessions", of: server)
    #expect(after.descriptors <= before.descriptors + 4, "\(before) became \(after)")
    #expect(after.threads <= before.threads + 4, "\(before) became \(after)")
  }

  @Test("A thousand downloads of one session leave memory and descriptors as they were")
  func downloads() async throws {
    let body = Payload.bytes(seed: 17, count: 64 * 1024)
    let server = try LoopbackServer { _ in .ok(body) }
    let (before, after) = try await counts("downloads", of: server)
    #expect(after.descriptors <= before.descriptors + 4, "\(before) became \(after)")
    #expect(after.threads <= before.threads + 4, "\(before) became \(after)")
    #if !THREAD_SANITIZER && !ADDRESS_SANITIZER
      // One body a download would be eight times as much.
      #expect(after.bytes - before.bytes < 8 << 20, "\(before) became \(after)")
    #endif
  }
}
