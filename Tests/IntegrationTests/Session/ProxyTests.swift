import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Proxies of the configuration and of the environment.
@Suite(.timeLimit(.minutes(2)))
struct ProxyTests {
  private static let digest = "Digest realm=\"p\", nonce=\"n1\", qop=\"auth\", algorithm=MD5"

  /// What a proxy offers, and how an answer to it begins.
  private static let methods = [
    (["Basic realm=\"p\""], "Basic dTp3"),
    ([digest], "Digest username=\"u\",realm=\"p\",nonce=\"n1\",uri=\"/f\","),
    (["Basic realm=\"p\"", digest], "Digest username=\"u\","),
  ]

  private static func refusal(_ challenges: [String]) -> Answer {
    .status(407, Data("a login is needed".utf8), challenges.map { ("Proxy-Authenticate", $0) })
  }

  @Test(
    "Requests go through the proxy that the configuration names, with its password, and continue through it",
    arguments: methods)
  func configured(challenges: [String], login: String) async throws {
    let refusal = Self.refusal(challenges)
    let proxy = try LoopbackServer([refusal, FaultScene.beginning(), refusal, FaultScene.rest])
    let scene = try FaultScene([])
    func session() throws -> SessionFixture {
      try SessionFixture(partials: scene.partials) {
        $0.connectionProxyDictionary = [
          "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": Int(proxy.port), "HTTPUser": "u", "HTTPPassword": "w",
        ]
      }
    }
    let address = try #require(URL(string: "http://files.test/f"))
    let first = try session()
    let blob = try #require(try await first.run(first.session.downloadTask(with: address)).resumeData)
    let second = try session()
    #expect(try await second.run(second.session.downloadTask(withResumeData: blob)).data == FaultScene.whole)
    #expect(proxy.requests.map(\.target) == Array(repeating: "http://files.test/f", count: 4))
    for request in proxy.requests { #expect(request.values("Host") == ["files.test"]) }
    let logins = proxy.requests.map { $0.value("Proxy-Authorization") }
    // A password is not sent before the proxy has said how.
    #expect(logins[0] == nil && logins[2] == nil)
    for number in [1, 3] { #expect(logins[number]?.replacing(", ", with: ",").hasPrefix(login) == true) }
    #expect(proxy.requests.map(\.rangeStart) == [nil, nil, FaultScene.firstPart, FaultScene.firstPart])
    first.session.invalidateAndCancel()
    second.session.invalidateAndCancel()
  }

  @Test("The answer of a proxy that does not take the password is told", arguments: methods)
  func refused(challenges: [String], login: String) async throws {
    let proxy = try LoopbackServer { _ in Self.refusal(challenges) }
    let fixture = try SessionFixture {
      $0.connectionProxyDictionary = [
        "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": Int(proxy.port), "HTTPUser": "u", "HTTPPassword": "w",
      ]
    }
    let address = try #require(URL(string: "http://files.test/f"))
    let outcome = try await fixture.run(fixture.session.downloadTask(with: address))
    #expect(outcome.status == 407)
    #expect(outcome.data == Data("a login is needed".utf8))
    #expect(proxy.requests.count == 2)
    fixture.session.invalidateAndCancel()
  }

  @Test("Exceptions are reached directly, and an empty dictionary uses no proxy")
  func direct() async throws {
    let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    for dictionary: [AnyHashable: Any] in [
      ["HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": 1, "ExceptionsList": ["127.0.0.1"]], [:],
    ] {
      let fixture = try SessionFixture { $0.connectionProxyDictionary = dictionary }
      #expect(try await fixture.run(fixture.session.downloadTask(with: server.url())).data == Data("x".utf8))
      fixture.session.invalidateAndCancel()
    }
    #expect(server.requests.map(\.target) == ["/file", "/file"])
  }

  @Test("Without a dictionary the environment names the proxy")
  func environment() async throws {
    let proxy = try LoopbackServer { _ in .ok(Data("x".utf8)) }
    let folder = try TemporaryFolder("proxy")
    let result = try await Rget.run(
      ["http://files.test/f"], in: folder.path,
      environment: ["http_proxy": proxy.origin, "no_proxy": nil, "NO_PROXY": nil])
    #expect(result.isSuccess, "\(result.errorText)")
    #expect(proxy.requests.map(\.target) == ["http://files.test/f"])
  }
}
