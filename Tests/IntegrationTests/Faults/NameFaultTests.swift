import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Names that a server, or an address, suggests for a file.
@Suite(.timeLimit(.minutes(2)))
struct NameFaultTests {
  @Test(
    "A suggested name is one component that can be used as it is",
    arguments: [
      "\"../../x\"", "\"/etc/x\"", "\"..\"", "\".\"", "\"\"", "\"a/../../b\"", "\"..\\\\..\\\\x\"", "\".bashrc\"",
      "\"%2e%2e%2fx\"", "x\u{1}\u{7f}.txt", "\u{202e}gpj.exe", "\"a\u{2028}b\"",
      "\"" + String(repeating: "語", count: 400) + ".txt\"",
    ])
  func suggested(value: String) async throws {
    try await check("attachment; filename=\(value)")
    if !value.hasPrefix("\"%") { try await check("attachment; filename*=UTF-8''" + encoded(value)) }
  }

  private func encoded(_ quoted: String) -> String {
    quoted.replacing("\"", with: "").utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private func check(_ disposition: String) async throws {
    let run = try await FaultScene([.ok(Data("x".utf8), [("Content-Disposition", disposition)])]).start("/dir/last")
    run.expect(Data("x".utf8), resumedAt: [])
    let name = try #require(run.outcome.response?.suggestedFilename)
    #expect(!name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= 255)
    #expect(!name.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0.properties.generalCategory == .control })
    let folder = try TemporaryFolder("names")
    try folder.write(Data("x".utf8), to: name)
    #expect(try folder.contents() == [name])
  }

  @Test("A header that would be split into two names nothing")
  func split() async throws {
    let head =
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Disposition: attachment; filename=\"a\r\n ../../b\"\r\n\r\nx"
    let run = try await FaultScene([.raw(Data(head.utf8))]).start("/last")
    run.expect(Data("x".utf8), resumedAt: [])
    #expect(run.outcome.response?.suggestedFilename == "b")
  }

  @Test("A long address makes neither a long name nor a lost download", arguments: [2_000, 16_000])
  func longAddress(count: Int) async throws {
    let target = "/x.bin?sig=" + String(repeating: "s", count: count)
    let scene = try FaultScene(then: FaultScene.rest)
    let run = try await scene.interruptAndResume(target)
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange()])
    #expect(run.requests.map(\.target) == [target])
    #expect(run.outcome.response?.suggestedFilename == "x.bin")
  }

  @Test("A destination may have the longest name that a folder takes", arguments: ["n", "語"])
  func longDestination(character: String) async throws {
    let scene = try FaultScene(then: FaultScene.rest)
    let name = String(repeating: character, count: 255 / character.utf8.count)
    try await scene.download(to: name).expect(failure: .networkConnectionLost)
    let run = try await scene.download(to: name)
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange()])
    #expect(try scene.contents == [name])
  }
}
