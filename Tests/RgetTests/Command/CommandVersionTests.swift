import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import rget

/// Which files a rerun takes for complete, with servers that tell no date.
@Suite(.timeLimit(.minutes(2)), .enabled(if: NoteDisk.isPossible, "the disk has no attributes of users"))
struct CommandVersionTests {
  private static let old = Payload.bytes(seed: 1, count: 5000)
  private static let new = Payload.bytes(seed: 2, count: 5000)

  private let resource: RangeResource
  private let fixture: CommandFixture
  private var address: String { fixture.address("/f?key=secret") }
  private var content: Data { get throws { try Data(contentsOf: fixture.folder.url("f")) } }

  init() throws {
    resource = RangeResource(Self.version(Self.old, "\"a1\""))
    fixture = try CommandFixture(count: 5000, handler: resource.answer)
  }

  private static func version(_ body: Data, _ tag: String?) -> RangeResource.Version {
    RangeResource.Version(.data(body), entityTag: tag, lastModified: nil)
  }

  @Test("The same tag is the same file", arguments: ["\"a1\"", "W/\"a1\"", nil])
  func same(tag: String?) async throws {
    resource.replace(with: Self.version(Self.old, tag))
    #expect(try await fixture.run(address).exit == .exited(0))
    let again = try await fixture.run(address)
    #expect(again.exit == .exited(0))
    #expect(again.errorText == "f is complete already\n")
    #expect(fixture.server.requests.map(\.method) == ["GET", "HEAD"])
  }

  @Test("Another tag is another file, also of the same length", arguments: ["\"b2\"", "W/\"b2\""])
  func replaced(tag: String) async throws {
    #expect(try await fixture.run(address).exit == .exited(0))
    resource.replace(with: Self.version(Self.new, tag))
    let again = try await fixture.run(address)
    #expect(again.exit == .exited(1))
    #expect(again.errorText.contains("f exists already and was left as it is, though it is not what the server has."))
    #expect(try content == Self.old)
    #expect(try await fixture.run("--overwrite", address).exit == .exited(0))
    #expect(try content == Self.new)
    #expect(try await fixture.run(address).errorText == "f is complete already\n")
    #expect(try fixture.folder.contents() == ["f"])
  }

  @Test("A file from elsewhere is not taken for complete by its size, and is left alone")
  func foreign() async throws {
    try fixture.folder.write(Self.new, to: "f")
    let result = try await fixture.run(address)
    #expect(result.exit == .exited(1))
    #expect(result.errorText.contains("left as it is; the server does not tell whether it is complete."))
    #expect(try content == Self.new)
  }

  @Test("A saved file that has changed since is not taken for complete, and is left alone")
  func edited() async throws {
    #expect(try await fixture.run(address).exit == .exited(0))
    // Changes the content, and thereby the time, of the same file.
    try Self.new.write(to: fixture.folder.url("f"), options: [])
    let result = try await fixture.run(address)
    #expect(result.exit == .exited(1))
    #expect(result.errorText.contains("left as it is; it was changed after it was saved."))
    #expect(try content == Self.new)
  }

  @Test("Where HEAD is refused, GET is asked for the head, and its body is left", arguments: [405, 403, 501])
  func noHead(status: Int) async throws {
    let resource = resource
    let fixture = try CommandFixture(count: 5000) { request in
      if request.method == "HEAD" { return .status(status) }
      // The body of the second answer never comes to its end.
      return request.number == 1 ? resource.answer(request) : resource.answer(request).cut(after: 100, .hang)
    }
    let address = fixture.address()
    let temporary = try fixture.folder.makeFolder("tmp")
    for _ in 1...2 {
      let result = try await fixture.run([address], environment: ["TMPDIR": temporary])
      #expect(result.exit == .exited(0), "\(result.errorText)")
    }
    #expect(fixture.server.requests.map(\.method) == ["GET", "HEAD", "GET"])
    #expect(try fixture.folder.contents().filter { $0.hasSuffix(".partial") } == [])
    #expect(try Data(contentsOf: fixture.folder.url("f")) == Self.old)
  }

  @Test("A folder is never replaced, and nothing is asked", arguments: [[], ["--overwrite"]])
  func folder(arguments: [String]) async throws {
    try fixture.folder.makeFolder("f")
    let result = try await fixture.run(arguments + [address])
    #expect(result.exit == .exited(1))
    #expect(result.errorText == "rget: f is a folder. Give the file another name with -o.\n")
    #expect(fixture.server.requests.isEmpty)
  }

  @Test("A note has no secrets")
  func secrets() async throws {
    #expect(try await fixture.run("-u", "ana:password", address).exit == .exited(0))
    let note = try #require(ExtendedAttribute.read(SavedVersion.attribute, of: fixture.folder.path("f")))
    let text = String(decoding: note, as: UTF8.self)
    for secret in ["secret", "password", "127.0.0.1"] { #expect(!text.contains(secret)) }
  }
}
