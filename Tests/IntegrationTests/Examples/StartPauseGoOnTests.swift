import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Runs `StartPauseGoOn` and types to it.
@Suite(.timeLimit(.minutes(3)))
struct StartPauseGoOnTests {
  private static let program = "StartPauseGoOn"
  private static let pause = 4 * ExampleFixture.mebibyte

  /// The program, which has paused where the answer waits.
  private func pausedChild(_ fixture: ExampleFixture) async throws -> ChildProcess {
    let child = try fixture.start(fixture.address(), "file.bin")
    try child.type("start")
    try await child.waitForOutput("40 %\n")
    try child.type("pause")
    try await child.waitForOutput("paused at byte \(Self.pause)\n")
    return child
  }

  @Test("Paused and continued on the connection that is there, the file is right")
  func sameConnection() async throws {
    let resource = RangeResource(.init(.generated(seed: ExampleFixture.seed, count: ExampleFixture.count)))
    let gate = Gate()
    let fixture = try ExampleFixture(Self.program) { resource.answer($0).inserting(.wait(gate), after: Self.pause) }
    let child = try await pausedChild(fixture)
    gate.open()
    try child.type("pause")
    try await child.waitForOutput("it is not running\n")
    try child.type("continue")
    let result = try await child.wait()
    #expect(result.exit == .exited(0), "\(result.errorText)")
    #expect(
      ExampleFixture.lines(result) == [
        "running from byte 0", "paused at byte \(Self.pause)", "it is not running", "running from byte \(Self.pause)",
        "saved file.bin",
      ])
    #expect(try fixture.files() == ["file.bin"])
    #expect(try fixture.difference(in: "file.bin") == nil)
    #expect(fixture.server.requests.count == 1)
    #expect(fixture.starts == [nil])
  }

  @Test("When the server has given the idle connection up, the rest is asked for")
  func otherConnection() async throws {
    let resource = RangeResource(.init(.generated(seed: ExampleFixture.seed, count: ExampleFixture.count)))
    let gate = Gate()
    let fixture = try ExampleFixture(Self.program) { request in
      let answer = resource.answer(request)
      guard request.number == 1 else { return answer }
      return answer.cut(after: Self.pause, .reset).inserting(.wait(gate), after: Self.pause)
    }
    let child = try await pausedChild(fixture)
    gate.open()
    try child.type("continue")
    let result = try await child.wait()
    #expect(result.exit == .exited(0), "\(result.text)\(result.errorText)")
    #expect(fixture.starts == [nil, Self.pause])
    #expect(fixture.areConditional)
    #expect(try fixture.files() == ["file.bin"])
    #expect(try fixture.difference(in: "file.bin") == nil)
  }

  @Test("Quitting keeps what there is for the same command")
  func quit() async throws {
    let fixture = try ExampleFixture(Self.program, stallsAfter: [4])
    let child = try fixture.start(fixture.address(), "file.bin")
    try child.type("start")
    try await child.waitForOutput("40 %\n")
    try child.type("quit")
    #expect(try await child.wait().exit == .exited(0))
    let again = try fixture.start(fixture.address(), "file.bin")
    try again.type("start")
    let result = try await again.wait()
    #expect(result.exit == .exited(0), "\(result.text)\(result.errorText)")
    #expect(
      ExampleFixture.lines(result) == [
        "running from byte 0", "an earlier run got as far as byte \(Self.pause)", "saved file.bin",
      ])
    #expect(fixture.starts == [nil, Self.pause])
    #expect(fixture.areConditional)
    #expect(try fixture.difference(in: "file.bin") == nil)
  }

  @Test("What cannot be saved is told, and the exit status is 1")
  func failure() async throws {
    let fixture = try ExampleFixture(Self.program) { _ in .status(404, Data("no".utf8)) }
    let child = try fixture.start(fixture.address(), "file.bin")
    try child.type("start")
    let result = try await child.wait()
    #expect(result.exit == .exited(1))
    #expect(result.text.contains("failed: "))
    #expect(try fixture.files() == [])
  }

  @Test(
    "Wrong arguments are told apart",
    arguments: [[], ["file"], ["http://127.0.0.1/"], ["ftp://127.0.0.1/x", "x"]])
  func usage(arguments: [String]) async throws {
    let result = try await ChildProcess.run(try Products.path(Self.program), arguments)
    #expect(result.exit == .exited(2))
    #expect(result.errorText.contains("usage: \(Self.program) URL FILE"))
  }
}
