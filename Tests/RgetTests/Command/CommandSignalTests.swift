import Foundation
import Glibc
import LoopbackServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct CommandSignalTests {
  private static let mebibyte: Int64 = 1 << 20

  @Test(
    "A signal keeps the partial and the same command continues",
    arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func stopped(signal: Int32, status: Int32) async throws {
    let count: Int64 = 24 << 20
    // The first answer stalls, so that the process cannot come to its end before the signal.
    let resource = RangeResource(.init(.generated(seed: CommandFixture.seed, count: count)))
    resource.drop(.dropAfter(8 * Self.mebibyte, .hang))
    let fixture = try CommandFixture(count: count, handler: resource.answer)
    let address = fixture.address("/file.bin")
    let child = try fixture.start(address)
    try await fixture.waitForPartial(atLeast: 4 * Self.mebibyte, of: child)
    child.send(signal)
    let first = try await child.wait()
    #expect(first.exit == .exited(status), "\(first.errorText)")
    #expect(first.errorText.contains("run the same command again to continue"))
    #expect(!FileManager.default.fileExists(atPath: fixture.folder.path("file.bin")))
    let kept = try fixture.partialSize()
    #expect(kept >= 4 * Self.mebibyte)

    let second = try await fixture.run(address)
    #expect(second.exit == .exited(0), "\(second.errorText)")
    #expect(second.errorText.contains("continuing from byte \(kept)"))
    #expect(fixture.server.requests.map(\.rangeStart) == [nil, kept])
    #expect(try fixture.folder.contents() == ["file.bin"])
    #expect(try fixture.difference(in: "file.bin") == nil)
  }

  @Test("Killed five times, it loses at most 1 MiB each time and leaves nothing hidden")
  func killed() async throws {
    let count: Int64 = 48 << 20
    let resource = RangeResource(.init(.generated(seed: CommandFixture.seed, count: count)), bytesPerSecond: 32 << 20)
    // The first answers stall, so that no process can come to its end before it is killed.
    resource.drop(.dropAfter(8 * Self.mebibyte, .hang))
    for _ in 2...5 { resource.drop(.dropAfter(9 * Self.mebibyte, .hang)) }
    let fixture = try CommandFixture(count: count, handler: resource.answer)
    let address = fixture.address("/file.bin")
    var generator = SeededGenerator(seed: 5)
    var sizes: [Int64] = []
    for _ in 1...5 {
      let child = try fixture.start(address)
      let point = (sizes.last ?? 0) + Int64.random(in: Self.mebibyte..<7 * Self.mebibyte, using: &generator)
      try await fixture.waitForPartial(atLeast: point, of: child)
      child.send(SIGKILL)
      #expect(try await child.waitForExit() == .signalled(SIGKILL))
      sizes.append(try fixture.partialSize())
      #expect(!FileManager.default.fileExists(atPath: fixture.folder.path("file.bin")))
    }
    let last = try await fixture.run(address)
    #expect(last.exit == .exited(0), "\(last.errorText)")
    let starts = fixture.server.requests.map(\.rangeStart)
    #expect(starts.count == 6)
    for (size, start) in zip(sizes, starts.dropFirst()) {
      let start = try #require(start)
      #expect(start <= size && size - start <= Self.mebibyte, "began at \(start) with \(size) bytes there")
    }
    #expect(try fixture.folder.contents() == ["file.bin"])
    #expect(try fixture.difference(in: "file.bin") == nil)
  }

  @Test("A signal before anything has arrived leaves nothing")
  func stoppedAtOnce() async throws {
    let fixture = try CommandFixture(count: 0) { _ in Answer([.hang]) }
    let child = try fixture.start(fixture.address("/file.bin"))
    try await fixture.server.waitForRequests(1)
    child.send(SIGINT)
    #expect(try await child.waitForExit() == .exited(130))
    #expect(try fixture.folder.contents() == [])
  }

  @Test("Two at once on one destination end with the right file")
  func twoAtOnce() async throws {
    let fixture = try CommandFixture(count: 8 << 20, bytesPerSecond: 16 << 20)
    let address = fixture.address("/file.bin")
    let children = try [fixture.start(address), fixture.start(address)]
    var exits: [ChildProcess.Exit] = []
    for child in children { exits.append(try await child.wait().exit) }
    #expect(exits.contains(.exited(0)))
    #expect(exits.allSatisfy { $0 == .exited(0) || $0 == .exited(1) })
    #expect(try fixture.folder.contents() == ["file.bin"])
    #expect(try fixture.difference(in: "file.bin") == nil)
  }
}
