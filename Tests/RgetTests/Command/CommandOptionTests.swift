import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Options whose effect only a real server or a clock shows.
@Suite(.timeLimit(.minutes(2)))
struct CommandOptionTests {
  @Test("--cert and --key show the server a certificate, also from one file")
  func certificate() async throws {
    let root = try TemporaryFolder("root")
    try root.write(Data("secret".utf8), to: "f")
    let folder = try TemporaryFolder("client")
    let own = try await SelfSignedCertificate.make(in: folder)
    let (certificate, key) = (URL(fileURLWithPath: own.certificate), URL(fileURLWithPath: own.key))
    let both = try folder.write(Data(contentsOf: key) + Data(contentsOf: certificate), to: "both.pem")
    var options = ServerOptions(usesTLS: true)
    options.clientAuthority = own.certificate
    let nginx = try await Nginx.start(root: root.path, options: options)
    let trust = try #require(nginx.certificate)
    func run(_ arguments: [String]) async throws -> ChildProcess.Result {
      let all = ["--cacert", trust, "--overwrite", "--retry=0"] + arguments + [nginx.url("/f").absoluteString]
      return try await Rget.run(all, in: folder.makeFolder("down"))
    }
    for arguments in [["--cert", own.certificate, "--key", own.key], ["--cert", both]] {
      let result = try await run(arguments)
      #expect(result.exit == .exited(0), "\(result.errorText)")
      #expect(try Data(contentsOf: folder.url("down/f")) == Data("secret".utf8))
      try FileManager.default.removeItem(atPath: folder.path("down"))
    }
    // nginx answers those that it does not know.
    let unknown = try await run([])
    #expect(unknown.exit == .exited(6))
    #expect(unknown.errorText.contains("the server answered with status 400"), "\(unknown.errorText)")
    #expect(try folder.contents().filter { $0.hasPrefix("down/") } == [])
    try await nginx.stop()
  }

  @Test("A key that does not belong to the certificate is told, and nothing is kept")
  func wrongKey() async throws {
    let root = try TemporaryFolder("root")
    let nginx = try await Nginx.start(root: root.path, options: ServerOptions(usesTLS: true))
    let folder = try TemporaryFolder("client")
    let own = try await SelfSignedCertificate.make(in: folder)
    let otherFolder = try TemporaryFolder("other")
    let other = try await SelfSignedCertificate.make(in: otherFolder)
    let down = try folder.makeFolder("down")
    let result = try await Rget.run(
      [
        "--cacert", try #require(nginx.certificate), "--cert", own.certificate, "--key", other.key,
        nginx.url("/f").absoluteString,
      ], in: down)
    #expect(result.exit == .exited(1))
    #expect(result.errorText.contains("private key"), "\(result.errorText)")
    #expect(result.errorText.hasSuffix(". Look at --cert and --key.\n"), "\(result.errorText)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: down) == [])
    try await nginx.stop()
  }

  @Test("--limit-rate holds for all downloads together")
  func rate() async throws {
    let count: Int64 = 2 << 20
    let fixture = try CommandFixture(count: count)
    let urls = ["a", "b"].map { fixture.address("/\($0)") }
    let start = ContinuousClock.now
    let result = try await fixture.run("--limit-rate", "2M", urls[0], urls[1])
    // Two seconds by the rate. What the first blocks may have at once makes it less, and nothing else can.
    #expect(ContinuousClock.now - start > .seconds(1.2))
    #expect(result.exit == .exited(0), "\(result.errorText)")
    for name in ["a", "b"] { #expect(try fixture.difference(in: name) == nil) }
  }
}
