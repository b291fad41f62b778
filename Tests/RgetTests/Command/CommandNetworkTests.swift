import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import rget

@Suite(.timeLimit(.minutes(3)))
struct CommandNetworkTests {
  private static let count: Int64 = 4 << 20

  private static var isPossible: Bool { NetworkNamespace.obstacle == nil }
  private static var obstacle: Comment { Comment(rawValue: NetworkNamespace.obstacle ?? "") }

  private func start(_ network: NetworkNamespace, _ folder: TemporaryFolder, _ arguments: [String]) throws
    -> ChildProcess
  {
    try ChildProcess(
      try Products.installed("ip"), network.words(try Products.path("rget"), arguments), folder: folder.path)
  }

  @Test(
    "Without a route it says that it waits, and goes on from the last byte when one is back",
    .enabled(if: isPossible, obstacle))
  func routeReturns() async throws {
    let network = try NetworkNamespace()
    try network.setUp(true)
    let resource = RangeResource(.init(.generated(seed: CommandFixture.seed, count: Self.count)))
    resource.drop(.dropAfter(Self.count / 2, .hang))
    let server = try await network.inside { try LoopbackServer(handler: resource.answer) }
    let fixture = try CommandFixture(count: Self.count, server: server)
    let child = try start(network, fixture.folder, ["--timeout=1", "--retry=8", server.url("/f").absoluteString])
    try await fixture.waitForPartial(atLeast: Self.count / 2, of: child)
    try network.setUp(false)
    try await child.waitForOutput("waiting for the network")
    #expect(server.requests.count == 1)
    try network.setUp(true)
    let result = try await child.wait()
    #expect(result.exit == .exited(0), "\(result.errorText)")
    #expect(server.requests.map(\.rangeStart) == [nil, Self.count / 2])
    #expect(try fixture.difference(in: "f") == nil)
  }

  @Test("A route that does not return ends it within the bounds", .enabled(if: isPossible, obstacle))
  func routeStaysAway() async throws {
    let network = try NetworkNamespace()
    let folder = try TemporaryFolder("route")
    let result = try await start(network, folder, ["--retry=1", "http://127.0.0.1:9/f"]).wait()
    #expect(result.exit == .exited(5), "\(result.errorText)")
    #expect(result.errorText.contains("The same command again starts from the beginning."))
    #expect(try folder.contents() == [])
  }
}
