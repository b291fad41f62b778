import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Credentials: who is asked, what is sent, what is kept.
@Suite(.timeLimit(.minutes(2)))
struct ChallengeTests {
  private static let basic = "Basic " + Data("user:open sesame".utf8).base64EncodedString()
  private static let refusal = Answer.status(401, Data("no".utf8), [("WWW-Authenticate", "Basic realm=\"vault\"")])

  /// Lets those in who have the password, and answers them as told.
  private static func guarded(_ answer: Answer) -> Answer {
    .from { $0.value("Authorization") == basic ? answer : refusal }
  }

  private static func credential(
    _ password: String = "open sesame", _ persistence: URLCredential.Persistence = .none
  ) -> URLCredential { URLCredential(user: "user", password: password, persistence: persistence) }

  private static func giving(_ password: String = "open sesame") -> DecidingDelegate.Decisions {
    .init(challenge: { _ in (.useCredential, credential(password)) })
  }

  @Test("A server that asks for a password gets it once it has asked, over the same connection")
  func basic() async throws {
    let body = Payload.bytes(seed: 1, count: 10_000)
    let server = try LoopbackServer { _ in Self.guarded(.ok(body)) }
    let scene = try DecidingFixture(Self.giving())
    let end = try await scene.run(scene.session.downloadTask(with: server.url()))
    #expect(end.file == body)
    #expect(end.calls == ["challenge", "finish", "metrics", "complete"])
    #expect(end.challenges.map(\.method) == [NSURLAuthenticationMethodHTTPBasic])
    #expect(end.challenges.map(\.realm) == ["vault"])
    #expect(end.challenges.map(\.failures) == [0])
    #expect(server.requests.map { $0.values("Authorization") } == [[], [Self.basic]])
    #expect(server.connectionCount == 1)
  }

  @Test("A continued download proves the user again, with its range, and its resume data holds no password")
  func resumed() async throws {
    let folder = try FaultScene([])
    let server = try LoopbackServer([
      Self.refusal, Self.guarded(FaultScene.beginning()), Self.refusal, Self.guarded(FaultScene.rest),
    ])
    let first = try DecidingFixture(Self.giving()) { $0.partialsDirectory = folder.partials }
    let broken = try await first.run(first.session.downloadTask(with: server.url()))
    let blob = try #require(broken.error?.downloadTaskResumeData)
    #expect(!String(decoding: blob, as: UTF8.self).contains("Authorization"))
    let second = try DecidingFixture(Self.giving()) { $0.partialsDirectory = folder.partials }
    let end = try await second.run(second.session.downloadTask(withResumeData: blob))
    #expect(end.file == FaultScene.whole)
    let start = try ResumeData(blob).byteOffset
    #expect(end.calls == ["challenge", "resumed \(start)", "finish", "metrics", "complete"])
    #expect(server.requests.suffix(2).map { $0.values("Range") } == [["bytes=\(start)-"], ["bytes=\(start)-"]])
    #expect(
      server.requests.suffix(2).map { $0.values("If-Range") } == [[FaultScene.entityTag], [FaultScene.entityTag]])
  }

  @Test("Wrong passwords are counted, and the last refusal is the answer when there is no other")
  func wrong() async throws {
    let server = try LoopbackServer { _ in Self.guarded(.ok(Data("in".utf8))) }
    let scene = try DecidingFixture(
      .init(challenge: { challenge in
        challenge.previousFailureCount < 2
          ? (.useCredential, Self.credential("wrong \(challenge.previousFailureCount)")) : (.rejectProtectionSpace, nil)
      }))
    let end = try await scene.run(scene.session.downloadTask(with: server.url()))
    #expect(end.challenges.map(\.failures) == [0, 1, 2])
    #expect(end.response?.statusCode == 401)
    #expect(end.file == Data("no".utf8))
    #expect(server.requests.count == 3)
  }

  @Test("A delegate that insists on a wrong password comes to an end")
  func endless() async throws {
    let server = try LoopbackServer { _ in Self.guarded(.ok(Data("in".utf8))) }
    let scene = try DecidingFixture(Self.giving("wrong"))
    let end = try await scene.run(scene.session.downloadTask(with: server.url()))
    #expect(end.response?.statusCode == 401)
    #expect(server.requests.count == 11)
  }

  @Test("A refused challenge ends a resume with what there is, and a cancelled one any task")
  func refused() async throws {
    let scene = try FaultScene(interrupted: .reset, then: Self.refusal, Self.refusal)
    let blob = try await scene.interrupt()
    for (disposition, code) in [
      (URLSession.AuthChallengeDisposition.rejectProtectionSpace, URLError.Code.badServerResponse),
      (.cancelAuthenticationChallenge, .cancelled),
    ] {
      let deciding = try DecidingFixture(.init(challenge: { _ in (disposition, nil) })) {
        $0.partialsDirectory = scene.partials
      }
      let end = try await deciding.run(deciding.session.downloadTask(withResumeData: blob))
      #expect(end.error?.code == code)
      let kept = try #require(end.error?.downloadTaskResumeData)
      #expect(try ResumeData(kept).byteOffset == ResumeData(blob).byteOffset)
    }
  }

  @Test("A password that a server took is kept where the delegate says so, and serves later tasks without a delegate")
  func storage() async throws {
    let body = Data("in".utf8)
    let server = try LoopbackServer { _ in Self.guarded(.ok(body)) }
    let storage = URLSessionConfiguration.ephemeral.urlCredentialStorage
    let scene = try DecidingFixture(
      .init(challenge: { _ in (.useCredential, Self.credential("open sesame", .forSession)) })
    ) {
      $0.urlCredentialStorage = storage
    }
    #expect(try await scene.run(scene.session.downloadTask(with: server.url())).file == body)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCredentialStorage = storage
    let session = DownloadSession(configuration: configuration)
    let (file, response) = try await session.download(from: server.url())
    defer { try? FileManager.default.removeItem(at: file) }
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    #expect(try Data(contentsOf: file) == body)
    session.finishTasksAndInvalidate()
  }

  @Test("A password does not go to another origin")
  func otherOrigin() async throws {
    let other = try LoopbackServer([.ok(Data("x".utf8))])
    let away = Answer.redirect(to: other.url("/b").absoluteString)
    let server = try LoopbackServer([Self.refusal, Self.guarded(away)])
    let scene = try DecidingFixture(Self.giving())
    #expect(try await scene.run(scene.session.downloadTask(with: server.url())).file == Data("x".utf8))
    #expect(other.requests.map { $0.values("Authorization") } == [[]])
  }

  @Test("Of two ways the digest is offered first, and the other one when it is rejected")
  func order() async throws {
    let both = Answer.status(
      401, Data(),
      [("WWW-Authenticate", "Basic realm=\"b\", Digest realm=\"d\", nonce=\"n, m\", qop=\"auth\"")])
    let server = try LoopbackServer([both, .ok(Data("in".utf8))])
    let scene = try DecidingFixture(
      .init(challenge: { challenge in
        challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPDigest
          ? (.rejectProtectionSpace, nil) : (.useCredential, Self.credential())
      }))
    let end = try await scene.run(scene.session.downloadTask(with: server.url()))
    #expect(end.challenges.map(\.realm) == ["d", "b"])
    #expect(end.file == Data("in".utf8))
    #expect(server.requests.last?.values("Authorization") == [Self.basic])
  }

  @Test("A digest proves the password without sending it", arguments: ["MD5", "SHA-256"])
  func digest(algorithm: String) async throws {
    let offer = "Digest realm=\"vault\", nonce=\"n0nce\", algorithm=\(algorithm), qop=\"auth\", opaque=\"o\""
    let refusal = Answer.status(401, Data("no".utf8), [("WWW-Authenticate", offer)])
    let body = Payload.bytes(seed: 2, count: 10_000)
    let server = try LoopbackServer { _ in
      .from { $0.value("Authorization")?.hasPrefix("Digest ") == true ? .ok(body) : refusal }
    }
    let scene = try DecidingFixture(Self.giving())
    let end = try await scene.run(scene.session.downloadTask(with: server.url("/secret")))
    #expect(end.file == body)
    #expect(end.challenges.map(\.method) == [NSURLAuthenticationMethodHTTPDigest])
    let proof = try #require(server.requests.last?.value("Authorization"))
    #expect(!proof.contains("open sesame"))
    let parts = Self.parameters(proof)
    #expect(parts["username"] == "user" && parts["nonce"] == "n0nce" && parts["opaque"] == "o")
    // RFC 7616 section 3.4.1, computed by another program.
    let hash = algorithm == "MD5" ? "-md5" : "-sha256"
    let user = try await Self.hash("user:vault:open sesame", hash)
    let request = try await Self.hash("GET:/secret", hash)
    let middle = ["nonce", "nc", "cnonce", "qop"].map { parts[$0] ?? "" }.joined(separator: ":")
    #expect(try await Self.hash("\(user):\(middle):\(request)", hash) == parts["response"])
  }

  @Test("A continued download proves the user by digest again, with its range")
  func resumedDigest() async throws {
    let offer = "Digest realm=\"vault\", nonce=\"n\", qop=\"auth\""
    let refusal = Answer.status(401, Data("no".utf8), [("WWW-Authenticate", offer)])
    @Sendable func guarded(_ answer: Answer) -> Answer {
      .from { $0.value("Authorization")?.hasPrefix("Digest ") == true ? answer : refusal }
    }
    let folder = try FaultScene([])
    let gone = Observed(false)
    let server = try LoopbackServer { _ in guarded(gone.value ? FaultScene.rest : FaultScene.beginning()) }
    let first = try DecidingFixture(Self.giving()) { $0.partialsDirectory = folder.partials }
    let broken = try await first.run(first.session.downloadTask(with: server.url()))
    let blob = try #require(broken.error?.downloadTaskResumeData)
    gone.update { $0 = true }
    let asked = server.requests.count
    let second = try DecidingFixture(Self.giving()) { $0.partialsDirectory = folder.partials }
    let end = try await second.run(second.session.downloadTask(withResumeData: blob))
    #expect(end.file == FaultScene.whole)
    let start = try ResumeData(blob).byteOffset
    #expect(end.calls == ["challenge", "resumed \(start)", "finish", "metrics", "complete"])
    let requests = server.requests.dropFirst(asked)
    #expect(requests.allSatisfy { $0.values("Range") == ["bytes=\(start)-"] })
    #expect(requests.allSatisfy { $0.values("If-Range") == [FaultScene.entityTag] })
    #expect(requests.last?.value("Authorization")?.hasPrefix("Digest ") == true)
  }

  @Test("A digest that the server refuses counts as a failure")
  func refusedDigest() async throws {
    let offer = "Digest realm=\"vault\", nonce=\"n\", qop=\"auth\""
    let server = try LoopbackServer { _ in .status(401, Data("no".utf8), [("WWW-Authenticate", offer)]) }
    let scene = try DecidingFixture(
      .init(challenge: { challenge in
        challenge.previousFailureCount < 1 ? (.useCredential, Self.credential()) : (.performDefaultHandling, nil)
      }))
    let end = try await scene.run(scene.session.downloadTask(with: server.url()))
    #expect(end.challenges.map(\.failures) == [0, 1])
    #expect(end.response?.statusCode == 401)
    #expect(end.file == Data("no".utf8))
  }

  private static func parameters(_ field: String) -> [String: String] {
    var result: [String: String] = [:]
    for part in field.dropFirst("Digest ".count).split(separator: ",") {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2 else { continue }
      result[pair[0].trimmingCharacters(in: .whitespaces)] = pair[1].trimmingCharacters(in: ["\"", " "])
    }
    return result
  }

  private static func hash(_ text: String, _ algorithm: String) async throws -> String {
    let folder = try TemporaryFolder("digest")
    let path = try folder.write(Data(text.utf8), to: "text")
    let result = try await ChildProcess.run(try Products.installed("openssl"), ["dgst", algorithm, "-r", path])
    return String(result.text.prefix { $0 != " " })
  }
}
