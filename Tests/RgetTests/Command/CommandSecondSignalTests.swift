import Foundation
import Glibc
import LoopbackServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct CommandSecondSignalTests {
  private static let count: Int64 = 4 << 20

  @Test(
    "A second signal ends it at once, in the middle of saving, and the same command still continues",
    arguments: [(SIGINT, SIGINT), (SIGINT, SIGTERM), (SIGTERM, SIGHUP)])
  func second(signals: (Int32, Int32)) async throws {
    let resource = RangeResource(.init(.generated(seed: CommandFixture.seed, count: Self.count)))
    resource.drop(.dropAfter(Self.count / 2, .hang))
    let fixture = try CommandFixture(count: Self.count, handler: resource.answer)
    let address = fixture.address()
    let preload = try await Preload.library()
    // The sync that follows a pause never comes to its end, so neither does the first way to stop. One of the folder
    // has come before, when the partial file was made.
    let variables = preload.environment(folder: fixture.folder.path, orders: [.hold("sync", 2)])
    let child = try fixture.start(["--json", address], environment: variables)
    try await child.waitForOutput("\"event\":\"progress\"")
    child.send(signals.0)
    try await child.waitForOutput(Preload.holding)
    try await child.waitForOutput("run the same command again to continue from there")
    child.send(signals.1)
    let first = try await child.wait()
    #expect(first.exit == .exited(128 + signals.1), "\(first.errorText)")
    #expect(!first.text.contains("\"event\":\"end\""))
    #expect(try !fixture.folder.contents().contains("f"))

    let second = try await fixture.run(address)
    #expect(second.exit == .exited(0), "\(second.errorText)")
    let kept = try #require(fixture.server.requests.last?.rangeStart)
    #expect(first.errorText.contains("stopped at byte \(kept);"))
    #expect(try fixture.folder.contents() == ["f"])
    #expect(try fixture.difference(in: "f") == nil)
  }
}
