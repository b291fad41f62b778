import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@testable import rget

@Suite(.timeLimit(.minutes(3)))
struct CommandConnectionTests {
  @Test("Options become settings of the session")
  func settings() throws {
    let folder = try TemporaryFolder("settings")
    let file = try folder.write(Data(), to: "a.pem")
    var options = Options()
    (options.bytesPerSecond, options.retries, options.timeoutSeconds, options.atOnce) = (7, 3, 2.5, 50)
    (options.trustAnchors, options.certificate) = (file, file)
    options.proxy = .socks(host: "h", port: 1, login: nil)
    let configuration = try RunContext.configuration(options)
    #expect(configuration.bytesPerSecondLimit == 7)
    #expect(configuration.retryPolicy == RetryPolicy(maximumAttempts: 3))
    #expect(configuration.timeoutIntervalForRequest == 2.5)
    #expect(configuration.httpMaximumConnectionsPerHost == 50)
    #expect(configuration.trustAnchorsFile?.path == file)
    #expect(configuration.clientCertificate?.keyFile.path == file)
    #expect(configuration.connectionProxyDictionary?["SOCKSProxy"] as? String == "h")
    options.retries = 0
    #expect(try RunContext.configuration(options).retryPolicy == nil)
    options.key = folder.path("missing")
    #expect(throws: UsageError(reason: "cannot read \(folder.path("missing"))")) {
      try RunContext.configuration(options)
    }
  }

  @Test(
    "A proxy is asked for the whole URL, and gets its login in the way that it asks for",
    arguments: [
      ("Basic realm=\"x\"", "Basic dTpw"), ("Digest realm=\"x\", nonce=\"n\", qop=\"auth\"", "Digest username=\"u\""),
    ])
  func proxy(challenge: String, login: String) async throws {
    let resource = RangeResource(.init(.generated(seed: CommandFixture.seed, count: 1000)))
    let fixture = try CommandFixture(count: 1000) { request in
      request.value("Proxy-Authorization") == nil
        ? .status(407, Data(), [("Proxy-Authenticate", challenge)]) : resource.answer(request)
    }
    let address = "127.0.0.1:\(fixture.server.port)"
    let refused = try await fixture.run("--proxy", address, "http://a.invalid/f")
    #expect(refused.exit == .exited(6))
    #expect(refused.errorText.contains("status 407 (the proxy needs a login)"), "\(refused.errorText)")
    let result = try await fixture.run("--proxy", "u:p@\(address)", "http://a.invalid/f")
    #expect(result.exit == .exited(0), "\(result.errorText)")
    #expect(fixture.server.requests.map(\.target) == Array(repeating: "http://a.invalid/f", count: 3))
    #expect(fixture.server.requests.last?.value("Proxy-Authorization")?.hasPrefix(login) == true)
    #expect(try fixture.difference(in: "f") == nil)
  }

  @Test("A proxy of the environment gets its login, too")
  func environmentProxy() async throws {
    let fixture = try CommandFixture(count: 1) { request in
      request.value("Proxy-Authorization") == nil
        ? .status(407, Data(), [("Proxy-Authenticate", "Digest realm=\"x\", nonce=\"n\"")]) : .ok(Data("x".utf8))
    }
    let result = try await fixture.run(
      ["http://a.invalid/f"],
      environment: ["http_proxy": "http://u:p@127.0.0.1:\(fixture.server.port)", "no_proxy": nil, "NO_PROXY": nil])
    #expect(result.exit == .exited(0), "\(result.errorText)")
    #expect(fixture.server.requests.last?.value("Proxy-Authorization")?.hasPrefix("Digest username=\"u\"") == true)
  }

  @Test("--proxy none ignores the environment")
  func noProxy() async throws {
    let fixture = try CommandFixture(count: 1000)
    let proxy = try LoopbackServer { _ in .status(403) }
    let address = fixture.address()
    for (arguments, exit) in [([address], 6), (["--proxy=none", address], 0)] as [([String], Int32)] {
      let result = try await fixture.run(arguments, environment: ["http_proxy": proxy.origin, "no_proxy": nil])
      #expect(result.exit == .exited(exit), "\(result.errorText)")
    }
    #expect(proxy.requests.count == 1)
    #expect(fixture.server.requests.count == 1)
  }

  @Test("A certificate that nobody vouches for is refused, and accepted with --cacert")
  func trust() async throws {
    let root = try TemporaryFolder("root")
    try root.write(Data("secret".utf8), to: "f")
    let nginx = try await Nginx.start(root: root.path, options: ServerOptions(usesTLS: true))
    let folder = try TemporaryFolder("trust")
    let address = nginx.url("/f").absoluteString
    let refused = try await Rget.run([address], in: folder.path)
    #expect(refused.exit == .exited(5))
    #expect(refused.errorText.lowercased().contains("certificate"), "\(refused.errorText)")
    #expect(try folder.contents() == [])
    let arguments = ["--cacert", try #require(nginx.certificate), address]
    let result = try await Rget.run(arguments, in: folder.path)
    #expect(result.exit == .exited(0), "\(result.errorText)")
    #expect(try Data(contentsOf: folder.url("f")) == Data("secret".utf8))
    try await nginx.stop()
  }
}
