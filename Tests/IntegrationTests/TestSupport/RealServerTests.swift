import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite("Real servers", .timeLimit(.minutes(2)))
struct RealServerTests {
  static let body = Payload.bytes(seed: 2, count: 300_000)

  private func check<Server: RealServer>(_ type: Server.Type, _ options: ServerOptions = ServerOptions()) async throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.body, to: "file")
    let server = try await Server.start(root: folder.path, options: options)
    var arguments = [
      "-r", "100000-", "-w", "%{stderr}%{http_code} %{http_version}", server.url("/file").absoluteString,
    ]
    if let certificate = server.certificate { arguments += ["--cacert", certificate] }
    let result = try await ChildProcess.run(Curl.path(), Curl.options + arguments)
    #expect(result.output == Self.body[100_000...], "\(result.errorText)")
    #expect(result.errorText == "206 \(options.allowsHTTP2 && options.usesTLS ? "2" : "1.1")")
    if let nginx = server as? Nginx { try await checkLog(nginx) }
    try await server.stop()
    #expect(try await curl("-k", server.url("/file").absoluteString).exit == .exited(Curl.refused))
  }

  private func checkLog(_ nginx: Nginx) async throws {
    let log = try await nginx.accessLog(atLeast: 1)
    #expect(log.map(\.target) == ["/file"])
    #expect(log.map(\.status) == [206])
    #expect(log.map(\.range) == ["bytes=100000-"])
    #expect(log.map(\.bodyBytes) == [200_000])
  }

  static let options = [ServerOptions(), ServerOptions(usesTLS: true), ServerOptions(usesTLS: true, allowsHTTP2: true)]

  @Test("nginx", arguments: options)
  func nginx(_ options: ServerOptions) async throws { try await check(Nginx.self, options) }

  @Test("Apache", arguments: options)
  func apache(_ options: ServerOptions) async throws { try await check(Apache.self, options) }

  @Test("lighttpd", arguments: options.prefix(1))
  func lighttpd(_ options: ServerOptions) async throws { try await check(Lighttpd.self, options) }

  @Test("Caddy", arguments: options)
  func caddy(_ options: ServerOptions) async throws { try await check(Caddy.self, options) }

  @Test("nginx and Apache limit their speed and compress")
  func otherOptions() async throws {
    let folder = try TemporaryFolder()
    try folder.write(Data(repeating: 97, count: 100_000), to: "file.txt")
    let options = ServerOptions(bytesPerSecond: 200_000_000, compresses: true)
    let servers: [any RealServer] = [
      try await Nginx.start(root: folder.path, options: options),
      try await Apache.start(root: folder.path, options: options),
    ]
    for server in servers {
      let result = try await curl("-H", "Accept-Encoding: gzip", "-i", server.url("/file.txt").absoluteString)
      #expect(String(decoding: result.output.prefix(1000), as: UTF8.self).contains("Content-Encoding: gzip"))
      #expect(result.output.count < 10_000)
      try await server.stop()
    }
  }
}
