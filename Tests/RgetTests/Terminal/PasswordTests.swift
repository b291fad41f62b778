import Foundation
import Glibc
import LoopbackServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct PasswordTests {
  @Test("A missing password is asked for without showing it")
  func password() async throws {
    let fixture = try CommandFixture(count: 10)
    let terminal = try fixture.startInTerminal(["-u", "ana", fixture.address()])
    try await terminal.wait(for: "the question") { $0.text[0].contains("Password for ana:") }
    for key in "secret\n" { terminal.press(key) }
    #expect(try await terminal.end() == .exited(0))
    #expect(!String(decoding: terminal.raw, as: UTF8.self).contains("secret"))
    #expect(fixture.server.requests.map { $0.value("Authorization") } == ["Basic YW5hOnNlY3JldA=="])
  }

  @Test(
    "Stopped while it asks for a password, it lets the terminal show again what is typed, and asks nobody",
    arguments: [SIGINT, SIGTERM])
  func stopped(signal: Int32) async throws {
    let fixture = try CommandFixture(count: 10)
    let terminal = try fixture.startInTerminal(["-u", "ana", fixture.address()])
    try await terminal.wait(for: "the question") { $0.text[0].contains("Password for ana:") }
    #expect(!terminal.showsTyping)
    if signal == SIGINT { terminal.press("\u{3}") } else { kill(terminal.identifier, signal) }
    #expect(try await terminal.end() == .exited(128 + signal))
    #expect(terminal.showsTyping)
    #expect(terminal.screen.column == 0)
    #expect(fixture.server.requests.isEmpty)
  }
}
