import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Own trust anchors, client certificates and TLS versions, against OpenSSL's server.
@Suite(.timeLimit(.minutes(2)))
struct TLSTests {
  /// `openssl s_server`, which serves the files of a folder.
  private struct Server {
    let folder: TemporaryFolder
    let certificate: SelfSignedCertificate
    let child: ChildProcess
    let url: URL

    static func start(_ arguments: (TemporaryFolder) -> [String] = { _ in [] }) async throws -> Server {
      let folder = try TemporaryFolder("tls")
      let certificate = try await SelfSignedCertificate.make(in: folder)
      _ = try folder.write(Payload.bytes(seed: 6, count: 100_000), to: "file")
      let child = try ChildProcess(
        try Products.installed("openssl"),
        [
          "s_server", "-accept", "127.0.0.1:0", "-WWW", "-cert", certificate.certificate, "-key", certificate.key,
        ] + arguments(folder), folder: folder.path)
      let mark = "ACCEPT 127.0.0.1:"
      try await child.waitForOutput(mark)
      try await child.waitForOutput("\n")
      let text = String(decoding: child.output, as: UTF8.self)
      let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(mark) })
      let url = try #require(URL(string: "https://127.0.0.1:\(line.dropFirst(mark.count))/file"))
      return Server(folder: folder, certificate: certificate, child: child, url: url)
    }

    func run(_ configure: (URLSessionConfiguration) -> Void) async throws -> DownloadOutcome {
      let fixture = try SessionFixture(configure: configure)
      defer { fixture.session.finishTasksAndInvalidate() }
      return try await fixture.run(fixture.session.downloadTask(with: url))
    }

    var trust: URL { URL(fileURLWithPath: certificate.certificate) }
  }

  private let body = Payload.bytes(seed: 6, count: 100_000)

  @Test("A certificate is believed only when it is among the trust anchors")
  func anchors() async throws {
    let server = try await Server.start()
    #expect(try await server.run { $0.trustAnchorsFile = server.trust }.data == body)
    let refused = try await server.run { _ in }
    #expect(refused.urlError?.code == .serverCertificateUntrusted)
    #expect(refused.file == nil)
    let missing = try await server.run { $0.trustAnchorsFile = server.folder.url("nothing.pem") }
    #expect(missing.urlError?.code == .secureConnectionFailed)
  }

  @Test("A server that wants to know the client gets its certificate")
  func client() async throws {
    let server = try await Server.start {
      ["-Verify", "1", "-verify_return_error", "-CAfile", $0.path("certificate.pem")]
    }
    let own = ClientCertificate(certificateFile: server.trust, keyFile: URL(fileURLWithPath: server.certificate.key))
    let known = try await server.run {
      $0.trustAnchorsFile = server.trust
      $0.clientCertificate = own
    }
    #expect(known.data == body)
    let unknown = try await server.run { $0.trustAnchorsFile = server.trust }
    #expect(unknown.error != nil && unknown.file == nil)
    let lost = try await server.run {
      $0.trustAnchorsFile = server.trust
      $0.clientCertificate = ClientCertificate(
        certificateFile: server.folder.url("nothing.pem"), keyFile: server.folder.url("nothing.pem"))
    }
    #expect(lost.urlError?.code == .clientCertificateRejected)
  }

  @Test("A version below the minimum is refused")
  func version() async throws {
    let server = try await Server.start { _ in ["-tls1_2"] }
    let old = try await server.run {
      $0.trustAnchorsFile = server.trust
      $0.tlsMinimumSupportedProtocolVersion = .TLSv12
    }
    #expect(old.data == body)
    let refused = try await server.run {
      $0.trustAnchorsFile = server.trust
      $0.tlsMinimumSupportedProtocolVersion = .TLSv13
    }
    #expect(refused.urlError?.code == .secureConnectionFailed)
  }
}
