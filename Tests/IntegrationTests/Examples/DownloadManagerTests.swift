import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Runs `DownloadManager` and types to it.
@Suite(.timeLimit(.minutes(3)))
struct DownloadManagerTests {
  private static let program = "DownloadManager"

  @Test("Two URLs with one name at once, one of them paused and continued")
  func pausing() async throws {
    let resource = RangeResource(.init(.generated(seed: ExampleFixture.seed, count: ExampleFixture.count)))
    let fixture = try ExampleFixture(Self.program) { request in
      let answer = resource.answer(request)
      return request.path == "/a.bin" && request.values("Range").isEmpty
        ? answer.cut(after: 3 * ExampleFixture.mebibyte, .hang) : answer
    }
    let (first, second) = (fixture.address("/a.bin"), fixture.address("/other/a.bin"))
    let child = try fixture.start("kept")
    try child.type("start \(first)")
    try await child.waitForOutput("a.bin: 30 %\n")
    try child.type("start \(second)")
    try await child.waitForOutput("\(second) is complete\n")
    try child.type("pause \(first)")
    try await child.waitForOutput("\(first) is paused\n")
    try child.type("list")
    try await child.waitForOutput("\(second): \(ExampleFixture.count) of \(ExampleFixture.count) bytes\n")
    try child.type("start \(first)")
    try await child.waitForOutput("\(first) is complete\n")
    try child.type("quit")
    let result = try await child.wait()
    #expect(result.exit == .exited(0), "\(result.errorText)")
    #expect(result.text.contains("\(first): \(3 * ExampleFixture.mebibyte) of \(ExampleFixture.count) bytes\n"))
    #expect(try fixture.files(in: "kept") == ["2-a.bin", "a.bin", "downloads.json"])
    for name in ["a.bin", "2-a.bin"] { #expect(try fixture.difference(in: "kept/\(name)") == nil) }
    let starts = fixture.server.requests.filter { $0.path == "/a.bin" }.map(\.rangeStart)
    #expect(starts == [nil, 3 * ExampleFixture.mebibyte])
    #expect(fixture.server.requests.count == 3)
    #expect(fixture.areConditional)
  }

  enum End: String, CaseIterable {
    case pausedAndQuit, quit, endOfInput, killed
  }

  @Test("However a process ends, the next knows the totals and continues", arguments: End.allCases)
  func restarting(end: End) async throws {
    let fixture = try ExampleFixture(Self.program, stallsAfter: [3, 3])
    let address = fixture.address("/some/file.bin?version=1&part=%2F")
    for run in 1...2 {
      let child = try fixture.start("kept")
      try child.type("start \(address)")
      try await child.waitForOutput("file.bin: \(run * 30) %\n")
      switch end {
      case .pausedAndQuit:
        try child.type("pause \(address)")
        try await child.waitForOutput("\(address) is paused\n")
        try child.type("quit")
        #expect(try await child.wait().exit == .exited(0))
      case .quit:
        try child.type("quit")
        #expect(try await child.wait().exit == .exited(0))
      case .endOfInput:
        child.endInput()
        #expect(try await child.wait().exit == .exited(0))
      case .killed: _ = try await fixture.kill(child)
      }
    }
    let stops = [3 * ExampleFixture.mebibyte, 6 * ExampleFixture.mebibyte]
    let child = try fixture.start("kept")
    try await child.waitForOutput("\(address): \(stops[1]) of \(ExampleFixture.count) bytes\n")
    try child.type("start \(address)")
    try await child.waitForOutput("\(address) is complete\n")
    try child.type("quit")
    #expect(try await child.wait().exit == .exited(0))

    let last = try fixture.start("kept")
    try await last.waitForOutput("\(address): \(ExampleFixture.count) of \(ExampleFixture.count) bytes\n")
    try last.type("start \(address)")
    try await last.waitForOutput("\(address) is complete\n")
    last.endInput()
    #expect(try await last.wait().exit == .exited(0))
    #expect(fixture.starts == [nil] + stops)
    #expect(fixture.areConditional)
    #expect(try fixture.files(in: "kept") == ["downloads.json", "file.bin"])
    #expect(try fixture.difference(in: "kept/file.bin") == nil)
  }

  @Test("A failure is a state of its URL, and others are not disturbed")
  func failure() async throws {
    let fixture = try ExampleFixture(Self.program) { request in
      request.path == "/missing" ? .status(404, Data("no".utf8)) : .ok(Data("x".utf8))
    }
    let child = try fixture.start("kept")
    try child.type("start \(fixture.address("/missing"))")
    try child.type("start \(fixture.address("/there"))")
    try child.type("start ftp://127.0.0.1/file")
    try child.type("pause \(fixture.address("/other"))")
    try await child.waitForOutput("\(fixture.address("/missing")) failed: ")
    try await child.waitForOutput("\(fixture.address("/there")) is complete\n")
    try child.type("quit")
    let result = try await child.wait()
    #expect(result.exit == .exited(0))
    #expect(result.text.contains("type start URL, pause URL, list or quit\n"))
    #expect(result.text.contains("\(fixture.address("/other")) is not running\n"))
    #expect(try fixture.files(in: "kept") == ["downloads.json", "there"])
  }

  @Test("A folder that cannot be made or whose list is damaged is told", arguments: ["kept", "kept/downloads.json"])
  func folder(file: String) async throws {
    let fixture = try ExampleFixture(Self.program)
    if file.hasPrefix("kept/") { try fixture.folder.makeFolder("kept") }
    try fixture.folder.write(Data("{\"http://127.0.0.1/\": \"../x\"}".utf8), to: file)
    let result = try await fixture.start("kept").wait()
    #expect(result.exit == .exited(1))
    #expect(result.text.contains("cannot read the folder: "))
  }
}
