import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Proxies of the configuration and of the environment.
@Suite(.timeLimit(.minutes(2)))
struct ProxyTests {
  @Test("Requests go through the proxy that the configuration names, with its password, and continue through it")
  func configured() async throws {
    let proxy = try LoopbackServer([FaultScene.beginning(), FaultScene.rest])
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
    #expect(proxy.requests.map(\.target) == ["http://files.test/f", "http://files.test/f"])
    for request in proxy.requests { #expect(request.values("Host") == ["files.test"]) }
    for request in proxy.requests { #expect(request.value("Proxy-Authorization") == "Basic dTp3") }
    first.session.invalidateAndCancel()
    second.session.invalidateAndCancel()
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
    let result = try await ChildProcess.run(
      try Products.path("rget"), ["http://files.test/f", "-d", folder.path],
      environment: ["http_proxy": proxy.origin, "no_proxy": nil, "NO_PROXY": nil])
    #expect(result.isSuccess, "\(result.errorText)")
    #expect(proxy.requests.map(\.target) == ["http://files.test/f"])
  }
}
