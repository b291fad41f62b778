import Foundation
import Glibc
import LoopbackServer
import TestSupport
import Testing

@testable import rget

@Suite(.timeLimit(.minutes(3)))
struct CommandEndTests {
  private static let count: Int64 = 1 << 20

  /// A file that stops halfway until the gate opens.
  private func fixture(_ gate: Gate) throws -> CommandFixture {
    let resource = RangeResource(.init(.generated(seed: CommandFixture.seed, count: Self.count)))
    return try CommandFixture(count: Self.count) { request in
      resource.answer(request).inserting(.wait(gate), after: Self.count / 2)
    }
  }

  @Test("A pipe whose reader has gone stops it in order", arguments: ["--json -q", "-v 2>&1 >/dev/null"])
  func closedPipe(arguments: String) async throws {
    let gate = Gate()
    let resource = RangeResource(.init(.generated(seed: CommandFixture.seed, count: Self.count)))
    let folder = try TemporaryFolder("gone")
    let closed = folder.path("closed")
    let gone = Gate()
    let watch = try FolderWatch(folder.path) { if FileManager.default.fileExists(atPath: closed) { gone.open() } }
    defer { withExtendedLifetime(watch) {} }
    // The second answer begins when the reader has gone, and stops halfway.
    let fixture = try CommandFixture(count: Self.count) { request in
      guard request.target == "/b" else { return resource.answer(request) }
      return resource.answer(request).inserting(.wait(gone), after: 0).inserting(.wait(gate), after: Self.count / 2)
    }
    let urls = ["a", "b"].map { fixture.address("/\($0)") }.joined(separator: " ")
    let command = "\"$RGET\" -j1 \(urls) \(arguments)"
    let script = "set -o pipefail; \(command) | { read line; exec 0<&-; touch '\(closed)'; }"
    let first = try await fixture.startScript(script).wait()
    #expect(first.exit == .exited(141), "\(first.errorText)")
    #expect(try !fixture.folder.contents().contains("b"))
    gate.open()
    let second = try await fixture.startScript(command).wait()
    #expect(second.exit == .exited(0), "\(second.errorText)")
    for name in ["a", "b"] { #expect(try fixture.difference(in: name) == nil) }
  }

  @Test("Signals pause all downloads of a list", arguments: [SIGINT, SIGTERM, SIGHUP])
  func signals(number: Int32) async throws {
    let gate = Gate()
    let fixture = try fixture(gate)
    let urls = ["a", "b", "c"].map { fixture.address("/\($0)") }
    let arguments = ["-j2"] + urls
    let child = try fixture.start(arguments)
    try await fixture.server.waitForRequests(2)
    try await fixture.waitForPartial(atLeast: Self.count / 2, of: child)
    child.send(number)
    let first = try await child.wait()
    #expect(first.exit == .exited(128 + number), "\(first.errorText)")
    #expect(first.errorText.hasSuffix("0 of 3 complete; run the same command again to continue\n"))
    gate.open()
    let second = try await fixture.run(arguments)
    #expect(second.exit == .exited(0), "\(second.errorText)")
    #expect(try fixture.folder.contents() == ["a", "b", "c"])
    for name in ["a", "b", "c"] { #expect(try fixture.difference(in: name) == nil) }
    // "c" was never begun.
    #expect(fixture.server.requests.filter { $0.target == "/c" }.count == 1)
  }

  @Test("A process that is killed after the last byte and before the name has lost nothing")
  func killedAtTheEnd() async throws {
    let gate = Gate()
    let fixture = try fixture(gate)
    let address = fixture.address()
    let child = try fixture.start(address)
    try await fixture.waitForPartial(atLeast: Self.count / 2, of: child)
    // After the first second the journal is there.
    try await child.waitForOutput("waiting for the network")
    child.send(SIGKILL)
    _ = try await child.waitForExit()
    let partial = try #require(try fixture.hidden().first { $0.hasSuffix(".partial") })
    let file = try FileHandle(forWritingTo: fixture.folder.url(partial))
    try file.seekToEnd()
    try file.write(contentsOf: Payload.slice(seed: CommandFixture.seed, range: Self.count / 2..<Self.count))
    try file.close()
    let result = try await fixture.run(address)
    #expect(result.exit == .exited(0), "\(result.errorText)")
    #expect(fixture.server.requests.map(\.method) == ["GET", "HEAD"])
    #expect(try fixture.folder.contents() == ["f"])
    #expect(try fixture.difference(in: "f") == nil)
    #expect(ExistingFile(path: fixture.folder.path("f"))?.modified == Date(timeIntervalSince1970: 1_704_103_200))
  }

  @Test("Under nohup the end of the terminal is ignored")
  func nohup() async throws {
    let gate = Gate()
    let fixture = try fixture(gate)
    let address = fixture.address()
    let child = try fixture.startScript("trap '' HUP; exec \"$RGET\" \(address)")
    try await fixture.waitForPartial(atLeast: Self.count / 2, of: child)
    child.send(SIGHUP)
    gate.open()
    #expect(try await child.wait().exit == .exited(0))
    #expect(try fixture.difference(in: "f") == nil)
  }

  @Test(
    "A full disk is said, keeps what there is, and the same command continues once there is room",
    .enabled(if: SmallDisk.isPossible, "needs root"))
  func fullDisk() async throws {
    let content = Content.generated(seed: CommandFixture.seed, count: Self.count)
    let resource = RangeResource(.init(content))
    // Without a length the space cannot be reserved, so the disk is full in the middle.
    let chunks = stride(from: 0, to: Self.count, by: 1 << 16).map { content.bytes($0..<$0 + 1 << 16) }
    let fixture = try CommandFixture(count: Self.count) { request in
      request.number == 1
        ? .chunked(chunks, [("ETag", "\"a1\""), ("Accept-Ranges", "bytes")]) : resource.answer(request)
    }
    let disk = try await SmallDisk.mount(on: fixture.folder.makeFolder("disk"), size: "600k")
    let address = fixture.address()
    let first = try await fixture.run("-d", "disk", address)
    #expect(first.exit == .exited(4), "\(first.errorText)")
    #expect(first.errorText.contains("No space left on device. Make room or choose another folder with -d. "))
    try await disk.resize("16m")
    let second = try await fixture.run("-d", "disk", address)
    #expect(second.exit == .exited(0), "\(second.errorText)")
    #expect(fixture.server.requests.last?.rangeStart ?? 0 > 0)
    #expect(try fixture.difference(in: "disk/f") == nil)
    try await disk.unmount()
  }

  @Test("What is begun can be listed, inspected and removed")
  func leftovers() async throws {
    let gate = Gate()
    let fixture = try fixture(gate)
    let address = fixture.address("/f?key=secret")
    let child = try fixture.start("-u", "ana:secret", address)
    try await fixture.waitForPartial(atLeast: Self.count / 2, of: child)
    #expect(try await fixture.run("list").text == "")
    child.send(SIGINT)
    _ = try await child.wait()
    try fixture.folder.write(Data(), to: "other.resume")
    let list = try await fixture.run("list", ".")
    #expect(list.exit == .exited(0))
    #expect(list.text.hasPrefix("f: 512.0 KiB of 1.0 MiB, 50%, "))
    #expect(list.text.hasSuffix(" old, \(fixture.server.origin)/f?…\n"))
    let journal = try #require(try fixture.hidden().first { $0.hasSuffix(".resume") })
    #expect(try !String(contentsOfFile: fixture.folder.path(journal), encoding: .utf8).contains("Authorization"))
    let inspection = try await fixture.run("inspect", journal)
    #expect(inspection.exit == .exited(0))
    #expect(inspection.text.contains("asked for: \(fixture.server.origin)/f?…\nbytes: 524288 of 1048576 (50%)\n"))
    #expect(inspection.text.contains("version of the file: entity tag \"a1\", last modified Mon, 01 Jan 2024"))
    #expect(inspection.text.contains("to become: \(fixture.folder.path)/f\n"))
    #expect(try await fixture.run("inspect", "other.resume").exit == .exited(1))
    #expect(try await fixture.run("inspect", "missing").exit == .exited(4))
    #expect(try await fixture.run("clean").text == "removed 512.0 KiB of f\n")
    #expect(try fixture.folder.contents() == ["other.resume"])
    #expect(try await fixture.run("list").errorText == "nothing in . is incomplete\n")
    #expect(try await fixture.run("list", "missing").exit == .exited(4))
  }
}
