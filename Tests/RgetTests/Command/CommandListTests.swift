import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import rget

@Suite(.timeLimit(.minutes(3)))
struct CommandListTests {
  private static func fixture(_ fields: [Answer.Field] = []) throws -> CommandFixture {
    try CommandFixture(count: TargetBody.count) { request in
      let name = String(request.target.prefix { $0 != "?" })
      return RangeResource(.init(.data(TargetBody.bytes(name)), entityTag: "\"\(name)\"", fields: fields)).answer(
        request)
    }
  }

  @Test("URLs and lists are fetched together; a rerun asks for heads only and leaves what is complete")
  func rerun() async throws {
    let fixture = try Self.fixture()
    let origin = fixture.server.origin
    try fixture.folder.makeFolder("down")
    let list = "# two\n\(origin)/bb\n\(origin)/ccc  other name.txt\n"
    try fixture.folder.write(Data(list.utf8), to: "list")
    let first = try await fixture.run("-d", "down", "-i", "list", "\(origin)/a")
    #expect(first.exit == .exited(0), "\(first.errorText)")
    #expect(first.errorText.hasSuffix("3 of 3 complete\n"))
    #expect(try fixture.folder.contents() == ["down", "down/a", "down/bb", "down/other name.txt", "list"])
    #expect(try fixture.isRight("down/other name.txt", "/ccc"))

    try FileManager.default.removeItem(atPath: fixture.folder.path("down/bb"))
    let second = try await fixture.run("-d", "down", "-i", "list", "\(origin)/a")
    #expect(second.exit == .exited(0), "\(second.errorText)")
    #expect(second.errorText.contains("down/a is complete already"))
    let asked = fixture.server.requests.dropFirst(3).map { "\($0.method) \($0.target)" }
    #expect(asked.sorted() == ["GET /bb", "HEAD /a", "HEAD /ccc"])
  }

  @Test("A list can come from standard input")
  func standardInput() async throws {
    let fixture = try Self.fixture()
    try fixture.folder.write(Data("\(fixture.server.origin)/a\n".utf8), to: "list")
    let result = try await fixture.startScript("\"$RGET\" -i - < list").wait()
    #expect(result.exit == .exited(0), "\(result.errorText)")
    #expect(try fixture.isRight("a", "/a"))
  }

  @Test("Two URLs with one name give two files, and it is said")
  func sameName() async throws {
    let fixture = try Self.fixture()
    let origin = fixture.server.origin
    let result = try await fixture.run("\(origin)/x/f.bin", "\(origin)/yy/f.bin")
    #expect(result.exit == .exited(0), "\(result.errorText)")
    #expect(result.errorText.contains("\(origin)/yy/f.bin becomes f (2).bin unless the server names it, because"))
    #expect(try fixture.isRight("f.bin", "/x/f.bin"))
    #expect(try fixture.isRight("f (2).bin", "/yy/f.bin"))
  }

  @Test("A name from Content-Disposition is used and found again")
  func disposition() async throws {
    let fixture = try Self.fixture([("Content-Disposition", "attachment; filename=\"../report.pdf\"")])
    let origin = fixture.server.origin
    #expect(try await fixture.run("\(origin)/get?id=1").exit == .exited(0))
    #expect(try fixture.folder.contents() == ["report.pdf"])
    let again = try await fixture.run("\(origin)/get?id=1")
    #expect(again.exit == .exited(0))
    #expect(again.errorText == "report.pdf is complete already\n")
    #expect(try fixture.folder.contents() == ["report.pdf"])
  }

  @Test("A changed file is left alone, and replaced by --overwrite")
  func overwrite() async throws {
    let fixture = try Self.fixture()
    let address = fixture.address("/a")
    try fixture.folder.write(Data("old".utf8), to: "a")
    let first = try await fixture.run(address)
    #expect(first.exit == .exited(1))
    #expect(first.errorText.contains("--overwrite replaces it"))
    #expect(try await fixture.run("--overwrite", address).exit == .exited(0))
    #expect(try fixture.isRight("a", "/a"))
    #expect(try fixture.folder.contents() == ["a"])
  }

  @Test("At most as many run at once as -j says", arguments: [1, 3])
  func jobs(limit: Int) async throws {
    let running = Observed((now: 0, most: 0))
    let fixture = try CommandFixture(count: 10) { request in
      running.update { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      // The count goes down before the client can have the end of the body.
      return Answer.ok(Data(count: 10)).inserting(
        .pause(milliseconds: 20), .perform { running.update { $0.now -= 1 } }, after: 9)
    }
    let urls = (1...8).map { "\(fixture.server.origin)/f\($0)" }
    let result = try await fixture.run(["-j", "\(limit)"] + urls)
    #expect(result.exit == .exited(0), "\(result.errorText)")
    #expect(running.value.most <= limit)
    #expect(fixture.server.requests.count == 8)
  }

  @Test("Fields and logins are sent, and logins do not follow to another origin")
  func fields() async throws {
    let target = try Self.fixture()
    let fixture = try CommandFixture(count: 0) { _ in .redirect(to: target.server.url("/b").absoluteString) }
    let result = try await fixture.run("-u", "a:b", "-H", "X-A: c", "-v", "\(fixture.server.origin)/f")
    #expect(result.exit == .exited(0), "\(result.errorText)")
    #expect(fixture.server.requests.map { $0.value("Authorization") } == ["Basic YTpi"])
    #expect(target.server.requests.map { $0.value("Authorization") } == [nil])
    #expect(target.server.requests.map { $0.value("X-A") } == ["c"])
    #expect(target.server.requests.first?.value("User-Agent")?.hasPrefix("rget/") == true)
    #expect(result.errorText.contains("> GET \(target.server.origin)/b\n"))
    #expect(result.errorText.contains("> X-A: c\n"))
    #expect(!result.errorText.contains("YTpi"))
    #expect(try fixture.isRight("f", "/b"))
  }

  @Test("A login comes from the netrc file")
  func netrc() async throws {
    let fixture = try Self.fixture()
    let path = try fixture.folder.write(Data("machine 127.0.0.1 login u password p".utf8), to: ".netrc")
    for variables in [["HOME": fixture.folder.path, "NETRC": nil], ["NETRC": path]] {
      let result = try await fixture.run(["--netrc", "--overwrite", fixture.address("/a")], environment: variables)
      #expect(result.exit == .exited(0), "\(result.errorText)")
    }
    #expect(fixture.server.requests.map { $0.value("Authorization") } == ["Basic dTpw", "Basic dTpw"])
  }

  @Test("Events are lines of JSON on standard output, and nothing else is")
  func events() async throws {
    let fixture = try Self.fixture()
    let missing = try LoopbackServer { _ in .status(404) }
    let (good, bad) = (fixture.address("/a"), "\(missing.origin)/b?key=secret")
    let result = try await fixture.run("--json", "-q", "-j1", good, bad)
    #expect(result.exit == .exited(6))
    let events = try result.text.split(separator: "\n").map {
      try JSONDecoder().decode(JSONEvent.self, from: Data($0.utf8))
    }
    let shown = "\(missing.origin)/b?…"
    #expect(
      events.filter { $0.event != .progress } == [
        JSONEvent(event: .start, url: good, file: "a"),
        JSONEvent(event: .saved, url: good, file: "a", received: TargetBody.count),
        JSONEvent(event: .start, url: shown, file: "b"),
        JSONEvent(
          event: .failed, url: shown, error: "the server answered with status 404 (not found)", status: 6),
        JSONEvent(event: .end, status: 6, complete: 1, incomplete: 1),
      ])
    #expect(result.errorText == "rget: b: the server answered with status 404 (not found).\n")
  }

  @Test("Different failures give 1, and the summary counts them")
  func mixed() async throws {
    let fixture = try CommandFixture(count: 0) { $0.target == "/a" ? .status(404) : .ok(Data("x".utf8)) }
    let closed = try LoopbackServer { _ in .status(404) }
    let refused = "\(closed.origin)/b"
    closed.stop()
    let result = try await fixture.run("--retry=0", fixture.address("/a"), refused, "\(fixture.server.origin)/c")
    #expect(result.exit == .exited(1))
    #expect(result.errorText.hasSuffix("1 of 3 complete, 2 failed\n"))
    #expect(try await fixture.run("--retry=0", refused).exit == .exited(5))
  }

  @Test("A host that is not found costs the other downloads nothing", arguments: [1, 4])
  func unknownHost(jobs: Int) async throws {
    let fixture = try Self.fixture()
    // A label of more than 63 bytes is refused without asking anybody (RFC 1035 section 2.3.4).
    let unknown = "http://\(String(repeating: "n", count: 64)).invalid/x"
    let names = ["a", "bb", "ccc"]
    let good = names.map { "\(fixture.server.origin)/\($0)" }
    let result = try await fixture.run(["-j", "\(jobs)", "--retry=1", unknown] + good)
    #expect(result.exit != .exited(0))
    #expect(result.errorText.hasSuffix("3 of 4 complete, 1 failed\n"), "\(result.errorText)")
    for name in names { #expect(try fixture.isRight(name, "/\(name)")) }
  }
}
