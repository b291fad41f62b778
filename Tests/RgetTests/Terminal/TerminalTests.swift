import Foundation
import Glibc
import LoopbackServer
import TestSupport
import Testing

@testable import rget

@Suite(.timeLimit(.minutes(3)))
struct TerminalTests {
  private static let count: Int64 = 4 << 20

  /// Two files that stop halfway until the gate opens.
  private func fixture(_ gate: Gate) throws -> CommandFixture {
    let version = RangeResource.Version(.generated(seed: CommandFixture.seed, count: Self.count))
    let resource = RangeResource(version)
    return try CommandFixture(count: Self.count) { request in
      resource.answer(request).inserting(.wait(gate), after: request.method == "GET" ? Self.count / 2 : 0)
    }
  }

  /// The command in a terminal that shows both files halfway.
  private func startBoth(_ fixture: CommandFixture) async throws -> PseudoTerminal {
    let terminal = try fixture.startInTerminal(urls(fixture, "a.bin", "b.bin"))
    try await terminal.wait(for: "both lines") { $0.text.count >= 3 && $0.text[1].contains("50%") }
    return terminal
  }

  private func urls(_ fixture: CommandFixture, _ names: String...) -> [String] {
    names.map { fixture.address("/\($0)") }
  }

  @Test("A line for each download and a summary, in place; what is saved stays above them")
  func lines() async throws {
    let gate = Gate()
    let fixture = try fixture(gate)
    let terminal = try await startBoth(fixture)
    let screen = terminal.screen
    #expect(screen.text[0].hasPrefix("a.bin  [#"))
    #expect(screen.text[1].hasPrefix("b.bin  [#"))
    #expect(screen.text[1].contains("50%  2.0 MiB of 4.0 MiB"))
    #expect(screen.text[2].hasPrefix("0 of 2 done, 4.0 MiB"))
    #expect(screen.text.count == 3)
    gate.open()
    #expect(try await terminal.end() == .exited(0))
    let text = terminal.screen.text
    #expect(Set(text.dropLast()) == ["saved a.bin, 4.0 MiB", "saved b.bin, 4.0 MiB"])
    #expect(text.last == "2 of 2 complete")
    #expect(terminal.screen.unknown.isEmpty)
    #expect(terminal.screen.column == 0)
    #expect(!String(decoding: terminal.raw, as: UTF8.self).contains("\u{1B}[32m"))
  }

  @Test(
    "A window that is resized while it runs stays in order",
    arguments: [(20, "50%"), (43, "2.0 MiB of 4.0 MiB"), (200, "waiting for 0:03")])
  func resized(columns: Int, end: String) async throws {
    let gate = Gate()
    let fixture = try fixture(gate)
    let terminal = try await startBoth(fixture)
    terminal.resize(columns: columns, lines: 10)
    let screen = try await terminal.wait(for: "a frame of that width") {
      $0.text.count == 3 && $0.text[1].hasPrefix("b.bin") && $0.text[1].hasSuffix(end)
    }
    #expect(screen.text.count == 3)
    #expect(screen.text.allSatisfy { TextWidth.columns($0) < columns })
    gate.open()
    #expect(try await terminal.end() == .exited(0))
    #expect(terminal.screen.text.suffix(1) == ["2 of 2 complete"])
    #expect(terminal.screen.text.count == 3)
  }

  @Test("Control-C pauses all, says how to continue, and leaves the cursor below; the same command continues")
  func interrupted() async throws {
    let gate = Gate()
    let fixture = try fixture(gate)
    let terminal = try await startBoth(fixture)
    terminal.press("\u{3}")
    #expect(try await terminal.end() == .exited(130))
    let text = terminal.screen.text.filter { !$0.contains("^C") }
    #expect(text.filter { $0.contains("stopped at byte 2097152; run the same command") }.count == 2)
    #expect(text.last == "0 of 2 complete; run the same command again to continue")
    #expect(terminal.screen.column == 0)
    gate.open()
    let second = try await fixture.run(urls(fixture, "a.bin", "b.bin"))
    #expect(second.exit == .exited(0), "\(second.errorText)")
    #expect(fixture.server.requests.map(\.rangeStart) == [nil, nil, 2_097_152, 2_097_152])
    #expect(try fixture.folder.contents() == ["a.bin", "b.bin"])
    #expect(try fixture.difference(in: "a.bin") == nil)
    #expect(try fixture.difference(in: "b.bin") == nil)
  }

  @Test("The terminal that goes away stops it in order")
  func hungUp() async throws {
    let gate = Gate()
    let fixture = try fixture(gate)
    let terminal = try fixture.startInTerminal(urls(fixture, "a.bin"))
    try await terminal.wait(for: "the line") { $0.text[0].contains("50%") }
    #expect(kill(terminal.identifier, SIGHUP) == 0)
    #expect(try await terminal.end() == .exited(129))
    #expect(try fixture.partialSize() == Self.count / 2)
  }

  @Test("Killed, it leaves the cursor at the start of the line below")
  func killed() async throws {
    let gate = Gate()
    let fixture = try fixture(gate)
    let terminal = try await startBoth(fixture)
    kill(terminal.identifier, SIGKILL)
    #expect(try await terminal.end() == .signalled(SIGKILL))
    #expect(terminal.screen.column == 0)
    #expect(terminal.screen.row == 3)
  }

  @Test(
    "Colours and redrawing depend on the terminal", arguments: [["NO_COLOR": ""], ["TERM": "dumb", "NO_COLOR": ""]])
  func kinds(environment: [String: String]) async throws {
    let gate = Gate()
    let fixture = try fixture(gate)
    let terminal = try fixture.startInTerminal(urls(fixture, "a.bin"), environment: environment)
    let isDumb = environment["TERM"] == "dumb"
    if isDumb {
      try await fixture.server.waitForRequests(1)
    } else {
      try await terminal.wait(for: "the line") { $0.text[0].contains("50%") }
    }
    gate.open()
    #expect(try await terminal.end() == .exited(0))
    let raw = String(decoding: terminal.raw, as: UTF8.self)
    #expect(raw.contains("\u{1B}[32m") == !isDumb)
    #expect(raw.contains("\u{1B}") == !isDumb)
    #expect(terminal.screen.text == ["saved a.bin, 4.0 MiB"])
  }

  @Test("What is quick draws nothing")
  func quick() async throws {
    let fixture = try CommandFixture(count: 10)
    let terminal = try fixture.startInTerminal(urls(fixture, "a.bin"))
    #expect(try await terminal.end() == .exited(0))
    #expect(String(decoding: terminal.raw, as: UTF8.self) == "saved a.bin, 10 B\r\n")
  }
}
