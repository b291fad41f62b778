import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import rget

/// Several downloads of one run that a server gives the same name.
@Suite(.timeLimit(.minutes(2)))
struct CommandNameTests {
  private static func resource(_ target: String, name: String = "report.pdf") -> RangeResource {
    let fields = [("Content-Disposition", "attachment; filename=\"\(name)\"")]
    return RangeResource(
      .init(.data(TargetBody.bytes(target)), entityTag: "\"\(target)\"", lastModified: nil, fields: fields))
  }

  @Test("The second one in the list gets a number, also if it is answered first; a rerun recognises both")
  func order() async throws {
    let second = Gate()
    let fixture = try CommandFixture(count: TargetBody.count) { request in
      let answer = Self.resource(request.target).answer(request)
      // The first one is answered when the second one has its answer.
      guard request.number <= 2, request.target == "/one" else {
        return answer.inserting(.signal(second), after: TargetBody.count)
      }
      return Answer([.wait(second)] + answer.steps)
    }
    let urls = ["one", "other"].map { fixture.address("/\($0)") }
    let first = try await fixture.run(urls[0], urls[1])
    #expect(first.exit == .exited(0), "\(first.errorText)")
    #expect(try fixture.folder.contents() == ["report (2).pdf", "report.pdf"])
    #expect(try fixture.isRight("report.pdf", "/one") && fixture.isRight("report (2).pdf", "/other"))
    let again = try await fixture.run("-j1", urls[0], urls[1])
    #expect(again.exit == .exited(0), "\(again.errorText)")
    #expect(again.errorText.contains("report.pdf is complete already\n"))
    #expect(again.errorText.contains("report (2).pdf is complete already\n"))
    #expect(try fixture.folder.contents() == ["report (2).pdf", "report.pdf"])
  }

  @Test(
    "A name goes to who has saved a file under it, whoever failed in between",
    .enabled(if: NoteDisk.isPossible, "the disk has no attributes of users"))
  func failures() async throws {
    let missing = Observed<Set<String>>(["/one"])
    let fixture = try CommandFixture(count: TargetBody.count) { request in
      missing.value.contains(request.target) ? .status(404) : Self.resource(request.target).answer(request)
    }
    let urls = ["one", "other"].map { fixture.address("/\($0)") }
    #expect(try await fixture.run(urls[0], urls[1]).exit == .exited(6))
    #expect(try fixture.isRight("report.pdf", "/other"))
    missing.update { $0 = [] }
    for _ in 1...2 {
      let result = try await fixture.run(urls[0], urls[1])
      #expect(result.exit == .exited(0), "\(result.errorText)")
      #expect(try fixture.isRight("report.pdf", "/other") && fixture.isRight("report (2).pdf", "/one"))
    }
    missing.update { $0 = ["/other"] }
    #expect(try await fixture.run(urls[0], urls[1]).errorText.contains("report (2).pdf is complete already\n"))
    #expect(try fixture.folder.contents() == ["report (2).pdf", "report.pdf"])
  }

  @Test("URLs that differ only in their query get the names that the server gives them")
  func queries() async throws {
    let fixture = try CommandFixture(count: TargetBody.count) { request in
      Self.resource(request.target, name: "n\(request.target.suffix(1)).pdf").answer(request)
    }
    let urls = ["/get?id=1", "/get?id=22", "/get?id=333"].map { fixture.server.url($0).absoluteString }
    for _ in 1...2 {
      let result = try await fixture.run(urls[0], urls[1], urls[2])
      #expect(result.exit == .exited(0), "\(result.errorText)")
      #expect(try fixture.folder.contents() == ["n1.pdf", "n2.pdf", "n3.pdf"])
    }
    #expect(try fixture.isRight("n2.pdf", "/get?id=22"))
  }

  @Test("A server's name that is the URL's of another one gets a number")
  func crossed() async throws {
    let fixture = try CommandFixture(count: TargetBody.count) { request in
      let name = request.target == "/one" ? "other" : "one"
      return Self.resource(request.target, name: name).answer(request)
    }
    let urls = ["one", "other"].map { fixture.address("/\($0)") }
    for _ in 1...2 {
      #expect(try await fixture.run(urls[0], urls[1]).exit == .exited(0))
      #expect(try fixture.folder.contents() == ["one (2)", "other (2)"])
    }
    #expect(try fixture.isRight("other (2)", "/one") && fixture.isRight("one (2)", "/other"))
  }
}
