import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Redirects, at first and on resume.
@Suite(.timeLimit(.minutes(2)))
struct RedirectFaultTests {
  private static let secrets = ["Authorization": "Bearer t", "Cookie": "a=b", "Proxy-Authorization": "Basic eDp5"]

  @Test("Secrets stay with their origin, the range goes everywhere")
  func secrets() async throws {
    let cdn = try LoopbackServer([FaultScene.beginning(), FaultScene.rest])
    let away = Answer.redirect(to: cdn.url("/b").absoluteString)
    let scene = try FaultScene([away, away])
    let run = try await scene.interruptAndResume("/a", headers: Self.secrets)
    let start = try run.expectRange()
    run.expect(FaultScene.whole, resumedAt: [start])
    #expect(scene.server.requests.map { $0.value("Authorization") } == ["Bearer t", "Bearer t"])
    for request in cdn.requests {
      #expect(Self.secrets.keys.flatMap { request.values($0) } == [])
    }
    #expect(cdn.requests.map { $0.values("Range") } == [[], ["bytes=\(start)-"]])
    #expect(cdn.requests.map { $0.values("If-Range") } == [[], [FaultScene.entityTag]])
  }

  @Test("Secrets follow a redirect within their origin")
  func sameOrigin() async throws {
    let near = Answer.redirect(to: "/b")
    let scene = try FaultScene([near, FaultScene.beginning(), near, FaultScene.rest])
    let run = try await scene.interruptAndResume("/a", headers: Self.secrets)
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange()])
    #expect(scene.server.requests.map(\.target) == ["/a", "/b", "/a", "/b"])
    #expect(scene.server.requests.allSatisfy { $0.value("Authorization") == "Bearer t" })
  }

  @Test("Only what may not stand in an address is escaped", arguments: [true, false])
  func illegalBytes(isAbsolute: Bool) async throws {
    let (given, sent) = ("/b\u{e9}%2F c?q=[x]&r=%zz", "/b%C3%A9%2F%20c?q=[x]&r=%zz")
    let start = Answer.from { request in
      .redirect(to: (isAbsolute ? "http://" + (request.value("Host") ?? "") : "") + given)
    }
    let scene = try FaultScene([start, FaultScene.beginning(), start, FaultScene.rest])
    let run = try await scene.interruptAndResume("/a")
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange()])
    #expect(scene.server.requests.map(\.target) == ["/a", sent, "/a", sent])
  }

  @Test("A redirect to itself is followed only so often, and leaves all as it was")
  func endless() async throws {
    let scene = try FaultScene([FaultScene.beginning()] + Array(repeating: .redirect(to: "/file"), count: 30))
    let blob = try await scene.interrupt()
    let run = try await scene.resume(blob)
    _ = try run.expect(failure: .httpTooManyRedirects, keeping: blob)
    #expect(run.requests.count == 21)
  }

  @Test("An address is sent as it was given, escapes and all", arguments: [true, false])
  func escapes(isAbsolute: Bool) async throws {
    let target = "/b%2Fc%20d?sig=a%2Bb%252Fc%3D&q=x"
    let start = Answer.from { request in
      let origin = "http://" + (request.value("Host") ?? "")
      return .redirect(to: isAbsolute ? origin + target : target)
    }
    let scene = try FaultScene([start, FaultScene.beginning(), start, FaultScene.rest])
    let first = "/a%2Fz?s=%2B%252F"
    let run = try await scene.interruptAndResume(first)
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange()])
    #expect(scene.server.requests.map(\.target) == [first, target, first, target])
  }
}
