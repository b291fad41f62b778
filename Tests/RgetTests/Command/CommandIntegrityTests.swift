import Foundation
import Glibc
import LoopbackServer
import TestSupport
import Testing

@testable import rget

@Suite(.timeLimit(.minutes(3)))
struct CommandIntegrityTests {
  private static let count: Int64 = 2_000_000
  private static let right = Payload.bytes(seed: CommandFixture.seed, count: Int(count))
  private static let sum = Checksum(.sha256, Digest.sha256.hash(of: right))
  private static let wrong = Checksum(.sha256, Digest.sha256.hash(of: Data("another".utf8)))

  private static func fixture(fields: [Answer.Field] = [], drops: [RangeResource.Drop] = []) throws -> (
    CommandFixture, RangeResource
  ) {
    let resource = RangeResource(.init(.data(right), fields: fields), drops: drops)
    return (try CommandFixture(count: count, handler: resource.answer), resource)
  }

  private static func digest(_ checksum: Checksum) -> String { "sha-256=:\(checksum.value.base64EncodedString()):" }

  @Test("The right checksum saves the file, a wrong one leaves nothing")
  func checksum() async throws {
    let (fixture, _) = try Self.fixture()
    let address = fixture.address()
    let bad = try await fixture.run("--checksum", Self.wrong.text, address)
    #expect(bad.exit == .exited(3))
    #expect(bad.errorText.contains("its sha256 is \(Digest.hexadecimal(Self.sum.value)), not"))
    #expect(try fixture.folder.contents() == [])
    #expect(fixture.server.requests.count == 1)
    #expect(try await fixture.run("--checksum", Self.sum.text, address).exit == .exited(0))
    #expect(try fixture.folder.contents() == ["f"])
  }

  @Test("A file that is there already is checked without asking the server")
  func existing() async throws {
    let (fixture, _) = try Self.fixture()
    let address = fixture.address()
    try fixture.folder.write(Self.right, to: "f")
    #expect(try await fixture.run("--checksum", Self.sum.text, address).errorText == "f is complete already\n")
    let bad = try await fixture.run("--checksum", Self.wrong.text, address)
    #expect(bad.exit == .exited(3))
    #expect(try Data(contentsOf: fixture.folder.url("f")) == Self.right)
    #expect(fixture.server.requests.isEmpty)
  }

  @Test("A list of checksums is used by name; a file that is not in it is not kept")
  func list() async throws {
    let (fixture, _) = try Self.fixture()
    try fixture.folder.write(Data("\(Digest.hexadecimal(Self.sum.value))  f\n".utf8), to: "SHA256SUMS")
    let origin = fixture.server.origin
    let result = try await fixture.run("--checksum-file", "SHA256SUMS", "\(origin)/f", "\(origin)/g")
    #expect(result.exit == .exited(3))
    #expect(result.errorText.contains("SHA256SUMS has no line for g"))
    #expect(try fixture.folder.contents() == ["SHA256SUMS", "f"])
  }

  @Test("What the server says about the bytes is checked", arguments: ["Repr-Digest", "Content-Digest"])
  func server(field: String) async throws {
    let (good, _) = try Self.fixture(fields: [(field, Self.digest(Self.sum))])
    #expect(try await good.run(good.server.url("/f").absoluteString).exit == .exited(0))
    let (bad, _) = try Self.fixture(fields: [(field, Self.digest(Self.wrong))])
    #expect(try await bad.run(bad.server.url("/f").absoluteString).exit == .exited(3))
    #expect(try bad.folder.contents() == [])
  }

  /// Leaves the first part of a file whose bytes are wrong, under a validator that says otherwise.
  private func leaveWrongPart(_ fixture: CommandFixture, _ resource: RangeResource, _ arguments: [String]) async throws
  {
    let old = Payload.bytes(seed: 1, count: Int(Self.count))
    resource.replace(with: .init(.data(old), fields: resource.version.fields))
    resource.drop(.dropAfter(1_500_000, .close))
    let first = try await fixture.run(["--retry=0"] + arguments)
    #expect(first.exit == .exited(5), "\(first.errorText)")
    #expect(first.errorText.contains("The same command again continues from byte"))
    resource.replace(with: .init(.data(Self.right), fields: resource.version.fields))
  }

  @Test("A mismatch after a resume leads to one fresh download")
  func resumed() async throws {
    let (fixture, resource) = try Self.fixture(fields: [("Repr-Digest", Self.digest(Self.sum))])
    let address = fixture.address()
    try await leaveWrongPart(fixture, resource, [address])
    let second = try await fixture.run(address)
    #expect(second.exit == .exited(0), "\(second.errorText)")
    #expect(second.errorText.contains("once more from the beginning"))
    #expect(fixture.server.requests.map { $0.rangeStart == nil } == [true, false, true])
    #expect(try fixture.folder.contents() == ["f"])
    #expect(try fixture.difference(in: "f") == nil)
  }

  @Test("A mismatch that stays is an error that keeps nothing")
  func persistent() async throws {
    let (fixture, resource) = try Self.fixture()
    let arguments = ["--checksum", Self.wrong.text, fixture.address()]
    try await leaveWrongPart(fixture, resource, arguments)
    let second = try await fixture.run(arguments)
    #expect(second.exit == .exited(3))
    #expect(fixture.server.requests.map { $0.rangeStart == nil } == [true, false, true])
    #expect(try fixture.folder.contents() == [])
  }

  @Test("A file that a killed process had not checked yet is checked and saved without fetching it again")
  func unchecked() async throws {
    let (fixture, _) = try Self.fixture(fields: [("Repr-Digest", Self.digest(Self.sum))])
    let address = fixture.server.url("/f")
    try fixture.folder.write(Self.right, to: StagedName.make(name: "f", url: address))
    let result = try await fixture.run(address.absoluteString)
    #expect(result.exit == .exited(0), "\(result.errorText)")
    #expect(fixture.server.requests.map(\.method) == ["HEAD"])
    #expect(try fixture.folder.contents() == ["f"])

    try fixture.folder.write(Data("x".utf8), to: StagedName.make(name: "f", url: address))
    #expect(try await fixture.run("--overwrite", address.absoluteString).exit == .exited(0))
    #expect(try fixture.folder.contents() == ["f"])
    #expect(try fixture.difference(in: "f") == nil)
  }

  @Test("The time of the file is the server's, unless --no-remote-time; the mode follows the umask")
  func attributes() async throws {
    let (fixture, _) = try Self.fixture()
    let address = fixture.address()
    let script = "umask 027 && \"$RGET\" \(address) && stat -c '%a %Y' f"
    let result = try await fixture.startScript(script).wait()
    #expect(result.text == "640 1704103200\n", "\(result.errorText)")
    let before = time(nil)
    #expect(try await fixture.run("--no-remote-time", "-o", "g", address).exit == .exited(0))
    let file = try #require(ExistingFile(path: fixture.folder.path("g")))
    #expect(Int(file.modified.timeIntervalSince1970) >= before - 1)
  }

  @Test("--fresh ignores what an earlier run has left")
  func fresh() async throws {
    let (fixture, resource) = try Self.fixture()
    let address = fixture.address()
    try await leaveWrongPart(fixture, resource, [address])
    #expect(try await fixture.run("--fresh", address).exit == .exited(0))
    #expect(fixture.server.requests.map(\.rangeStart) == [nil, nil])
    #expect(try fixture.difference(in: "f") == nil)
    #expect(try fixture.folder.contents() == ["f"])
  }
}
