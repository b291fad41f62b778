import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct CommandResultTests {
  @Test("A whole file is saved under the URL's name")
  func wholeFile() async throws {
    let fixture = try CommandFixture()
    let result = try await fixture.run(fixture.address("/some/file.bin?x=1"))
    #expect(result.exit == .exited(0), "\(result.errorText)")
    #expect(result.output.isEmpty)
    #expect(result.errorText.contains("saved file.bin"))
    #expect(try fixture.folder.contents() == ["file.bin"])
    #expect(try fixture.difference(in: "file.bin") == nil)
    #expect(fixture.server.requests.count == 1)
  }

  @Test("-o names the file and -d the folder")
  func places() async throws {
    let fixture = try CommandFixture()
    try fixture.folder.makeFolder("sub")
    let address = fixture.address("/file.bin")
    #expect(try await fixture.run("-o", "other", address).exit == .exited(0))
    #expect(try await fixture.run(address, "-d", "sub").exit == .exited(0))
    #expect(try fixture.folder.contents() == ["other", "sub", "sub/file.bin"])
    #expect(try fixture.difference(in: "other") == nil)
    #expect(try fixture.difference(in: "sub/file.bin") == nil)
  }

  @Test("A missing resource and a failing server leave nothing", arguments: [404, 403, 500])
  func badStatus(status: Int) async throws {
    let fixture = try CommandFixture(count: 0) { _ in .status(status, Data("no".utf8)) }
    let result = try await fixture.run("--retry=0", fixture.address("/file.bin"))
    #expect(result.exit == .exited(6))
    #expect(result.errorText.contains("\(status)"))
    #expect(try fixture.folder.contents() == [])
  }

  @Test(
    "Wrong usage is told apart and sends nothing",
    arguments: [
      [], ["-x"], ["-o"], ["-o", "a", "-d", "b", "http://127.0.0.1/"], ["-i", "missing"], ["-i", "-"],
      ["demo", "more"], ["-o", "", "http://127.0.0.1/"],
    ] as [[String]])
  func usage(arguments: [String]) async throws {
    let folder = try TemporaryFolder("usage")
    let result = try await Rget.run(arguments, in: folder.path)
    #expect(result.exit == .exited(2))
    #expect(result.errorText.contains("usage: rget"))
    #expect(try folder.contents() == [])
  }

  @Test(
    "Other schemes and what is no URL are wrong usage",
    arguments: ["ftp://127.0.0.1/file", "file:///etc/passwd", "127.0.0.1/file", "http://", "data:,x"])
  func scheme(address: String) async throws {
    let folder = try TemporaryFolder("scheme")
    let result = try await Rget.run([address], in: folder.path)
    #expect(result.exit == .exited(2))
    #expect(result.errorText.contains("not an http or https URL"))
    #expect(try folder.contents() == [])
  }

  @Test("Help and version go to standard output", arguments: ["--help", "-h", "--version"])
  func help(argument: String) async throws {
    let folder = try TemporaryFolder("help")
    let result = try await Rget.run([argument], in: folder.path)
    #expect(result.exit == .exited(0))
    #expect(result.text.contains("rget"))
    #expect(result.errors.isEmpty)
  }

  @Test(
    "Standard output that cannot be written is told, and changes nothing but the status",
    arguments: ["/dev/full", "&-"])
  func lostOutput(target: String) async throws {
    let fixture = try CommandFixture()
    let commands = ["--json -q \(fixture.address("/file.bin"))", "--help", "inspect .resume"]
    try fixture.folder.write(Data(), to: ".resume")
    var ends: [ChildProcess.Result] = []
    for command in commands {
      ends.append(try await fixture.startScript("\"$RGET\" \(command) >\(target)").wait())
    }
    #expect(ends.map(\.exit) == [.exited(4), .exited(4), .exited(1)])
    for end in ends.prefix(2) {
      #expect(end.errorText.hasPrefix("rget: cannot write to standard output: "), "\(end.errorText)")
    }
    #expect(try fixture.difference(in: "file.bin") == nil)
    #expect(try fixture.folder.contents() == [".resume", "file.bin"])
  }

  @Test("A file that exists is left as it is, whatever the server has")
  func existing() async throws {
    let fixture = try CommandFixture()
    try fixture.folder.write(Data("mine".utf8), to: "file.bin")
    let result = try await fixture.run(fixture.address("/file.bin"))
    #expect(result.exit == .exited(1))
    #expect(result.errorText.contains("file.bin exists already and was left as it is, though it is not what"))
    #expect(try fixture.folder.contents() == ["file.bin"])
    #expect(try Data(contentsOf: fixture.folder.url("file.bin")) == Data("mine".utf8))
    #expect(fixture.server.requests.map(\.method) == ["HEAD"])
  }

  @Test("A destination whose folder is missing fails and nothing is sent")
  func missingFolder() async throws {
    let fixture = try CommandFixture()
    let result = try await fixture.run("-d", "nowhere", fixture.address("/file.bin"))
    #expect(result.exit == .exited(4))
    #expect(result.errorText.contains("nowhere"))
    #expect(try fixture.folder.contents() == [])
    #expect(fixture.server.requests.isEmpty)
  }

  @Test("The demonstration succeeds")
  func demo() async throws {
    let folder = try TemporaryFolder("demo")
    let result = try await Rget.run(["demo"], in: folder.path, environment: ["TMPDIR": folder.path])
    #expect(result.exit == .exited(0), "\(result.text)\(result.errorText)")
    #expect(try folder.contents() == [])
  }
}
