import Foundation
import Glibc
import LoopbackServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct RelaunchTests {
  private let first = IdentifiedFixture.first
  private let stop = IdentifiedFixture.stop

  @Test("A running task goes on by itself from its last byte after a kill")
  func running() async throws {
    let fixture = try IdentifiedFixture(stalls: 1)
    let begun = try await fixture.run(until: "wrote \(first) \(stop)\n", "start", fixture.address(), "one")
    #expect(begun.tasks == [])

    let lines = try await fixture.run("until", "1")
    #expect(lines.tasks == ["\(first) running /file tag one"])
    #expect(
      lines.callbacks == [
        "delivered", "resumed \(first) \(stop)", "finished \(first) 206", "completed \(first) ok", "invalid",
      ])
    #expect(try fixture.difference(in: fixture.kept()) == nil)
    #expect(fixture.server.requests.map(\.rangeStart) == [nil, stop])
    #expect(fixture.server.requests.last?.values("If-Range") == ["\"a1\""])
    #expect(fixture.server.requests.last?.value("X-Tag") == "tag")
    #expect(try fixture.files() == [])
  }

  @Test("A task killed before the answer begins anew")
  func early() async throws {
    let content = Content.generated(seed: IdentifiedFixture.seed, count: IdentifiedFixture.count)
    let fixture = try IdentifiedFixture { $0.number == 1 ? Answer([.hang]) : .ok(content) }
    let child = try fixture.start("start", fixture.address(), "one")
    try await fixture.server.waitForRequests(1)
    _ = try await fixture.kill(child)
    let lines = try await fixture.run("until", "1")
    #expect(lines.tasks == ["\(first) running /file tag one"])
    #expect(lines.callbacks == ["delivered", "finished \(first) 200", "completed \(first) ok", "invalid"])
    #expect(fixture.server.requests.map(\.rangeStart) == [nil, nil])
    #expect(try fixture.difference(in: fixture.kept()) == nil)
    #expect(try fixture.files() == [])
  }

  @Test("Suspended tasks and tasks never resumed stay so until they are resumed")
  func suspended() async throws {
    let fixture = try IdentifiedFixture(stalls: 1)
    let child = try fixture.start(
      "suspend-at", "\(stop)", "start", fixture.address(), "one", "add", fixture.address("/other"), "two")
    try await child.waitForOutput("suspended \(first)\n")
    try await child.waitForOutput("ready\n")
    _ = try await fixture.kill(child)

    let found = try await fixture.run(until: "ready\n")
    #expect(found.tasks == ["\(first) suspended /file tag one", "\(first + 1) suspended /other tag two"])
    #expect(found.callbacks == ["delivered"])

    let lines = try await fixture.run("resume", "\(first)", "resume", "\(first + 1)", "until", "2")
    #expect(lines.tasks == found.tasks)
    #expect(lines.callbacks.count { $0 == "delivered" } == 1)
    #expect(
      Set(fixture.server.requests.map { "\($0.path) \($0.rangeStart ?? 0)" }) == [
        "/file 0", "/file \(stop)", "/other 0",
      ])
    #expect(fixture.server.requests.count == 3)
    for number in [first, first + 1] { #expect(try fixture.difference(in: fixture.kept(number)) == nil) }
    #expect(try fixture.files() == [])
  }

  @Test("Finished files that the delegate did not get come first, then the end of the events, without a request")
  func undelivered() async throws {
    let fixture = try IdentifiedFixture(stalls: 0)
    let child = try fixture.start(
      "stall", "finish", "start", fixture.address(), "one", "start", fixture.address("/other"), "two")
    try await child.waitForOutput("stalled ")
    try await fixture.waitForFiles(".tmp", count: 2)
    _ = try await fixture.kill(child)

    let lines = try await fixture.run("until", "2")
    #expect(lines.callbacks.count == 6)
    #expect(lines.callbacks.suffix(2) == ["delivered", "invalid"])
    for number in [first, first + 1] {
      let own = lines.callbacks.filter { $0.contains("\(number)") }
      #expect(own == ["finished \(number) 200", "completed \(number) ok"])
      #expect(try fixture.difference(in: fixture.kept(number)) == nil)
    }
    #expect(fixture.server.requests.count == 2)
    #expect(try fixture.files() == [])
  }

  @Test("A file that the delegate has taken is not fetched or told of again", arguments: ["moved", "complete"])
  func taken(place: String) async throws {
    let fixture = try IdentifiedFixture(stalls: 0)
    _ = try await fixture.run(until: "stalled \(first)\n", "stall", place, "start", fixture.address(), "one")
    let lines = try await fixture.run("until", "1")
    #expect(lines.tasks.count == 1)
    #expect(lines.callbacks == ["completed \(first) ok", "delivered", "invalid"])
    #expect(try fixture.difference(in: fixture.kept()) == nil)
    #expect(fixture.server.requests.count == 1)
    #expect(try fixture.files() == [])
  }

  @Test("A task with a destination goes on, and a file at its destination is told of without a request")
  func destination() async throws {
    let fixture = try IdentifiedFixture(stalls: 1)
    let path = fixture.home.path("keep/file.bin")
    _ = try await fixture.run(until: "wrote \(first) \(stop)\n", "to", fixture.address(), path)
    let told = try await fixture.run(until: "stalled \(first)\n", "stall", "finish").callbacks
    #expect(told == ["delivered", "resumed \(first) \(stop)", "finished \(first) 206"])

    let lines = try await fixture.run("until", "1")
    #expect(lines.callbacks == ["finished \(first) 206", "completed \(first) ok", "delivered", "invalid"])
    #expect(fixture.server.requests.map(\.rangeStart) == [nil, stop])
    #expect(try fixture.difference(in: path) == nil)
    #expect(try fixture.home.contents().filter { $0.hasPrefix("keep/") } == ["keep/file.bin"])
    #expect(try fixture.files() == [])
  }

  @Test("A request with another method and a body is sent again as it was")
  func post() async throws {
    let fixture = try IdentifiedFixture { $0.number == 1 ? Answer([.hang]) : .ok(Data("answer".utf8)) }
    let child = try fixture.start("post", fixture.address(), "question")
    try await fixture.server.waitForRequests(1)
    _ = try await fixture.kill(child)
    let lines = try await fixture.run("until", "1")
    #expect(lines.callbacks == ["delivered", "finished \(first) 200", "completed \(first) ok", "invalid"])
    #expect(fixture.server.requests.map(\.method) == ["POST", "POST"])
    #expect(fixture.server.requests.map(\.body) == [Data("question".utf8), Data("question".utf8)])
    #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.kept())) == Data("answer".utf8))
  }

  @Test("Killed again and again, three downloads end with the right files and leave nothing")
  func often() async throws {
    let resource = RangeResource(
      .init(.generated(seed: IdentifiedFixture.seed, count: IdentifiedFixture.count)), bytesPerSecond: 2 << 20)
    let fixture = try IdentifiedFixture(handler: resource.answer)
    var child = try fixture.start(
      "start", fixture.address("/1"), "1", "start", fixture.address("/2"), "2", "start", fixture.address("/3"), "3")
    try await child.waitForOutput("ready\n")
    var generator = SeededGenerator(seed: 9)
    for _ in 1...8 {
      try await fixture.waitForProgress(Int.random(in: 1...12, using: &generator), of: child)
      _ = try await fixture.kill(child)
      child = try fixture.start()
    }
    _ = try await fixture.kill(child)
    let left = try fixture.taskCount()
    if left > 0 { _ = try await fixture.run("until", "\(left)") }
    for number in first..<first + 3 { #expect(try fixture.difference(in: fixture.kept(number)) == nil) }
    #expect(try fixture.files() == [])
  }
}
