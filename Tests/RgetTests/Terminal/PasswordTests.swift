import Foundation
import Glibc
import LoopbackServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct PasswordTests {
  @Test(
    "Stopped while it asks for a password, it lets the terminal show again what is typed, and asks nobody",
    arguments: [SIGINT, SIGTERM])
  func stopped(signal: Int32) async throws {
    let fixture = try CommandFixture(count: 10)
    let terminal = try PseudoTerminal(
      try Products.path("rget"), ["-u", "ana", fixture.server.url("/f").absoluteString], columns: 80, lines: 24,
      folder: fixture.folder.path)
    try await terminal.wait(for: "the question") { $0.text[0].contains("Password for ana:") }
    #expect(!terminal.showsTyping)
    if signal == SIGINT { terminal.press("\u{3}") } else { kill(terminal.identifier, signal) }
    #expect(try await terminal.end() == 128 + signal)
    #expect(terminal.showsTyping)
    #expect(terminal.screen.column == 0)
    #expect(fixture.server.requests.isEmpty)
  }
}
