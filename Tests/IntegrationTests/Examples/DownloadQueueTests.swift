import Foundation
import Glibc
import LoopbackServer
import TestSupport
import Testing

/// Runs `DownloadQueue` and types to it.
@Suite(.timeLimit(.minutes(3)))
struct DownloadQueueTests {
  private static let program = "DownloadQueue"
  private static let stop = 3 * ExampleFixture.mebibyte
  private static let resource = RangeResource.Version(
    .generated(seed: ExampleFixture.seed, count: ExampleFixture.count))

  /// Types to the program, and waits until it has put the URLs into the queue.
  private func add(_ names: [String], _ fixture: ExampleFixture, _ child: ChildProcess) async throws {
    for name in names {
      try child.type("add \(fixture.address("/\(name)"))")
      try await child.waitForOutput("\(name): added\n")
    }
  }

  @Test("So many run at a time, the others in the order in which they came")
  func maximum() async throws {
    let (resource, running, two) = (RangeResource(Self.resource), Observed((now: 0, most: 0)), Gate())
    let fixture = try ExampleFixture(Self.program) { request in
      // Nobody gets anything before two have asked, so that the first cannot come to its end alone.
      let begin = Answer.Step.perform {
        let most = running.update { running in
          running = (running.now + 1, max(running.most, running.now + 1))
          return running.most
        }
        if most == 2 { two.open() }
      }
      // Before the last byte: when the client has that, the next one may begin.
      return resource.answer(request)
        .inserting(.perform { running.update { $0.now -= 1 } }, after: ExampleFixture.count - 1)
        .after(begin, .wait(two))
    }
    let names = ["1.bin", "2.bin", "3.bin", "4.bin", "5.bin"]
    let child = try fixture.start("queue", "kept", "2")
    try await add(names, fixture, child)
    for name in names { try await child.waitForOutput("\(name): saved\n") }
    try child.type("quit")
    #expect(try await child.wait().exit == .exited(0))
    #expect(try fixture.files(in: "kept") == names)
    for name in names { #expect(try fixture.difference(in: "kept/\(name)") == nil) }
    #expect(running.value.most == 2)
    let paths = fixture.server.requests.map(\.path)
    // Two that begin together may reach the server in either order.
    #expect(Set(paths.prefix(2)) == ["/1.bin", "/2.bin"])
    #expect(Set(paths.dropFirst(2).prefix(2)) == ["/3.bin", "/4.bin"])
    #expect(paths.last == "/5.bin")
    #expect(fixture.starts == [nil, nil, nil, nil, nil])
  }

  @Test("Killed twice, it has its queue again, and goes on from the last bytes by itself")
  func killed() async throws {
    let resource = RangeResource(
      Self.resource, drops: (1...4).map { _ in .dropAfter(Self.stop, .hang) })
    let fixture = try ExampleFixture(Self.program, handler: resource.answer)
    let names = ["1.bin", "2.bin", "3.bin"]
    let first = try fixture.start("queue", "kept", "2")
    try await add(names, fixture, first)
    for name in names.prefix(2) { try await first.waitForOutput("\(name): 30 %\n") }
    #expect(try await fixture.kill(first).hasPrefix("0 in the queue\n"))

    let second = try fixture.start("queue", "kept", "2")
    for name in names.prefix(2) { try await second.waitForOutput("\(name): 60 %\n") }
    let text = try await fixture.kill(second)
    #expect(text.contains("3 in the queue\n"))
    for name in names.prefix(2) { #expect(text.contains("\(name): continued at byte \(Self.stop)\n")) }
    #expect(!text.contains("3.bin: continued"))

    let third = try fixture.start("queue", "kept", "2")
    for name in names { try await third.waitForOutput("\(name): saved\n") }
    try third.type("quit")
    #expect(try await third.wait().exit == .exited(0))
    #expect(try fixture.files(in: "kept") == names)
    for name in names { #expect(try fixture.difference(in: "kept/\(name)") == nil) }
    for name in names.prefix(2) {
      let starts = fixture.server.requests.filter { $0.path == "/\(name)" }.map(\.rangeStart)
      #expect(starts == [nil, Self.stop, 2 * Self.stop])
    }
    #expect(fixture.server.requests.filter { $0.path == "/3.bin" }.map(\.rangeStart) == [nil])
    #expect(fixture.areConditional)

    let last = try fixture.start("queue", "kept", "2")
    last.endInput()
    #expect(try await last.wait().text == "0 in the queue\n")
  }

  @Test(
    "When the network goes away it waits, and when it comes back it goes on from the last byte",
    .enabled(if: geteuid() == 0, "only root may make a network namespace"))
  func network() async throws {
    let island = try await Island()
    try await island.allowAbsentAddresses()
    try await island.switchNetworkOn()
    let (fixture, child) = try await island.run {
      let fixture = try ExampleFixture(Self.program, stallsAfter: [3])
      return (fixture, try fixture.start("queue", "kept", "2"))
    }
    try await add(["1.bin"], fixture, child)
    try await child.waitForOutput("1.bin: 30 %\n")
    fixture.server.stop()
    try await island.switchNetworkOff()
    try await child.waitForOutput("1.bin: waiting for the network\n")
    let resource = RangeResource(Self.resource)
    let server = try await island.run { try LoopbackServer(port: fixture.server.port, handler: resource.answer) }
    #expect(server.requests.isEmpty)
    try await island.switchNetworkOn()
    try await child.waitForOutput("1.bin: saved\n")
    try child.type("quit")
    let result = try await child.wait()
    #expect(result.exit == .exited(0))
    #expect(
      ExampleFixture.lines(result) == [
        "0 in the queue", "1.bin: added", "1.bin: waiting for the network", "1.bin: saved",
      ])
    #expect(fixture.starts == [nil])
    #expect(server.requests.map(\.rangeStart) == [Self.stop])
    #expect(server.requests.map { $0.values("If-Range") } == [[ExampleFixture.entityTag]])
    #expect(try fixture.difference(in: "kept/1.bin") == nil)
  }

  @Test("Cancelling takes a download out of the queue, and a failure does not hold the others up")
  func cancelling() async throws {
    let resource = RangeResource(Self.resource)
    let fixture = try ExampleFixture(Self.program) { request in
      switch request.path {
      case "/missing": .status(404, Data("no".utf8))
      case "/stalling": resource.answer(request).cut(after: Self.stop, .hang)
      default: resource.answer(request)
      }
    }
    let child = try fixture.start("queue", "kept", "1")
    try await add(["missing", "stalling", "last"], fixture, child)
    try await child.waitForOutput("missing: failed: ")
    try await child.waitForOutput("stalling: 30 %\n")
    try child.type("cancel \(fixture.address("/stalling"))")
    try await child.waitForOutput("stalling: cancelled\n")
    try await child.waitForOutput("last: saved\n")
    try child.type("list")
    try child.type("quit")
    let result = try await child.wait()
    #expect(result.exit == .exited(0))
    #expect(ExampleFixture.lines(result).last == "0 in the queue")
    #expect(fixture.server.requests.map(\.path) == ["/missing", "/stalling", "/last"])
    #expect(try fixture.files(in: "kept") == ["last"])
    #expect(try fixture.difference(in: "kept/last") == nil)
  }
}
