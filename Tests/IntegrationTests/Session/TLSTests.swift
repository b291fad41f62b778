import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Own trust anchors, client certificates and TLS versions, against nginx.
@Suite(.timeLimit(.minutes(2)))
struct TLSTests {
  private struct Scene {
    let root: TemporaryFolder
    let server: Nginx

    static func start(_ options: ServerOptions = ServerOptions(usesTLS: true)) async throws -> Scene {
      let root = try TemporaryFolder("tls")
      _ = try root.write(TLSTests.body, to: "file")
      return Scene(root: root, server: try await Nginx.start(root: root.path, options: options))
    }

    /// What became of the download, and its bytes, which go with the fixture.
    func run(_ configure: (URLSessionConfiguration) -> Void) async throws -> (outcome: DownloadOutcome, data: Data?) {
      let fixture = try SessionFixture(configure: configure)
      defer { fixture.session.finishTasksAndInvalidate() }
      let outcome = try await fixture.run(fixture.session.downloadTask(with: server.url("/file")))
      return (outcome, outcome.data)
    }

    func trust() throws -> URL { URL(fileURLWithPath: try #require(server.certificate)) }
  }

  private static let body = Payload.bytes(seed: 6, count: 100_000)

  @Test("A certificate is believed only when it is among the trust anchors")
  func anchors() async throws {
    let scene = try await Scene.start()
    let trust = try scene.trust()
    #expect(try await scene.run { $0.trustAnchorsFile = trust }.data == Self.body)
    let refused = try await scene.run { _ in }
    #expect(refused.outcome.urlError?.code == .serverCertificateUntrusted)
    #expect(refused.outcome.file == nil)
    let missing = try await scene.run { $0.trustAnchorsFile = scene.root.url("nothing.pem") }
    #expect(missing.outcome.urlError?.code == .secureConnectionFailed)
  }

  @Test("A server that wants to know the client gets its certificate")
  func client() async throws {
    let folder = try TemporaryFolder("client")
    let own = try await SelfSignedCertificate.make(in: folder)
    var options = ServerOptions(usesTLS: true)
    options.clientAuthority = own.certificate
    let scene = try await Scene.start(options)
    let trust = try scene.trust()
    let known = try await scene.run {
      $0.trustAnchorsFile = trust
      $0.clientCertificate = ClientCertificate(
        certificateFile: URL(fileURLWithPath: own.certificate), keyFile: URL(fileURLWithPath: own.key))
    }
    #expect(known.data == Self.body)
    // nginx answers those that it does not know.
    #expect(try await scene.run { $0.trustAnchorsFile = trust }.outcome.status == 400)
    let lost = try await scene.run {
      $0.trustAnchorsFile = trust
      $0.clientCertificate = ClientCertificate(
        certificateFile: folder.url("nothing.pem"), keyFile: folder.url("nothing.pem"))
    }
    #expect(lost.outcome.urlError?.code == .clientCertificateRejected)
  }

  /// With TLS 1.3; libcurl 7.88 resumes none of TLS 1.2 in another handle.
  @Test("A connection after a pause resumes the TLS session of the one before")
  func resumption() async throws {
    var options = ServerOptions(bytesPerSecond: 50_000, usesTLS: true)
    options.tlsVersion = "TLSv1.3"
    let scene = try await Scene.start(options)
    let trust = try scene.trust()
    let fixture = try SessionFixture { $0.trustAnchorsFile = trust }
    defer { fixture.session.invalidateAndCancel() }
    let task = fixture.session.downloadTask(with: scene.server.url("/file"))
    try await fixture.start(task, until: 10_000)
    let data = try #require(await task.cancelByProducingResumeData())
    #expect(try await fixture.run(fixture.session.downloadTask(withResumeData: data)).data == Self.body)
    // Another session has settings of its own.
    #expect(try await scene.run { $0.trustAnchorsFile = trust }.data == Self.body)
    #expect(try await scene.server.accessLog(atLeast: 3).map(\.resumesTLS) == [false, true, false])
  }

  @Test("A version below the minimum is refused")
  func version() async throws {
    var options = ServerOptions(usesTLS: true)
    options.tlsVersion = "TLSv1.2"
    let scene = try await Scene.start(options)
    let trust = try scene.trust()
    let old = try await scene.run {
      $0.trustAnchorsFile = trust
      $0.tlsMinimumSupportedProtocolVersion = .TLSv12
    }
    #expect(old.data == Self.body)
    let refused = try await scene.run {
      $0.trustAnchorsFile = trust
      $0.tlsMinimumSupportedProtocolVersion = .TLSv13
    }
    #expect(refused.outcome.urlError?.code == .secureConnectionFailed)
  }
}
