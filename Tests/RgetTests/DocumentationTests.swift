import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import rget

@Suite(.timeLimit(.minutes(3)))
struct DocumentationTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  private static func page() throws -> String { try text("Sources/ResumableDownloads/ResumableDownloads.docc/rget.md") }

  /// The commands in the shell blocks of a text.
  private static func commands(_ text: String) -> [String] {
    var (commands, isShell) = ([String](), false)
    for line in text.split(separator: "\n") {
      if line.hasPrefix("```") { isShell = line == "```sh" }
      let command = String(line).replacing("swift run -c release rget", with: "rget")
      // The demonstration and the installation are run by a step of CI.
      let isOther = command.contains("rget demo") || command.hasPrefix("install ")
      if isShell, command.contains("rget "), !isOther { commands.append(command) }
    }
    return commands
  }

  @Test("The page has the text of --help, and every event")
  func page() throws {
    let page = try Self.page()
    #expect(page.contains("```\n\(Help.text)\n```\n"))
    for kind in JSONEvent.Kind.allCases { #expect(page.contains("| `\(kind.rawValue)` |"), "\(kind)") }
  }

  @Test("Every example of the help, the page and the README works")
  func examples() async throws {
    let readme = try Self.text("README.md")
    let commands = try HelpExamples.all + Self.commands(Self.page()) + Self.commands(readme)
    #expect(commands.count > HelpExamples.all.count + 6)
    for command in commands { try await run(command) }
  }

  @Test("The newest version of the changelog is that of the command")
  func version() async throws {
    let headings = try Self.text("CHANGELOG.md").matches(of: #/(?m)^## \[(\d+\.\d+\.\d+)\]/#).map(\.1)
    let folder = try TemporaryFolder("version")
    let result = try await Rget.run(["--version"], in: folder.path)
    #expect(result.text == "rget \(try #require(headings.first))\n")
  }

  private func run(_ command: String) async throws {
    let body = Payload.bytes(seed: 3, count: 10_000)
    let resource = RangeResource(.init(.data(body)))
    let fixture = try CommandFixture(count: 10_000, handler: resource.answer)
    let sum = Digest.hexadecimal(Digest.sha256.hash(of: body))
    try fixture.folder.makeFolder("downloads")
    try fixture.folder.write(Data("\(fixture.server.origin)/f\n".utf8), to: "list.txt")
    try fixture.folder.write(Data("\(sum)  f\n".utf8), to: "SHA256SUMS")
    let line = command.replacing("https://example.org", with: fixture.server.origin).replacing("HEX", with: sum)
    let variables = ["PATH": "\(try Products.folder()):/usr/local/bin:/usr/bin:/bin"]
    let result = try await ChildProcess.run(
      "/bin/bash", ["-euc", line], environment: variables, folder: fixture.folder.path)
    #expect(result.exit == .exited(0), "\(command): \(result.errorText)")
    let urls = line.split(separator: " ").filter { $0.hasPrefix("http") }.count + (line.contains("-i ") ? 1 : 0)
    #expect(fixture.server.requests.count == urls, "\(command)")
  }
}
