import Foundation
import FoundationNetworking
import Glibc
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct IdentifierTests {
  private let first = IdentifiedFixture.first
  private let stop = IdentifiedFixture.stop

  @Test("A second process gets -996, and the identifier is free when its holder is killed")
  func twoProcesses() async throws {
    let fixture = try IdentifiedFixture(stalls: 1)
    let holder = try fixture.start("start", fixture.address(), "one")
    try await holder.waitForOutput("wrote \(first) \(stop)\n")
    let other = try await fixture.run("start", fixture.address("/other"), "two", "until", "1")
    #expect(other.tasks == [])
    #expect(other.callbacks == ["completed \(first) -996", "invalid"])
    #expect(fixture.server.requests.map(\.path) == ["/file"])
    _ = try await fixture.kill(holder)
    let lines = try await fixture.run("until", "1")
    #expect(lines.tasks == ["\(first) running /file tag one"])
    #expect(try fixture.difference(in: fixture.kept()) == nil)
    #expect(try fixture.files() == [])
  }

  @Test("A second session in the same process, handlers and async calls fail before anything is sent")
  func refused() async throws {
    let fixture = try IdentifiedFixture(stalls: 0)
    let address = fixture.address()
    let child = try fixture.start("twice", address, "handler", address, "async", address)
    try await child.waitForOutput("completed ")
    try await child.waitForOutput("handler ")
    try await child.waitForOutput("async ")
    let lines = try await fixture.kill(child)
    #expect(lines.callbacks.sorted() == ["async -1008", "completed \(first) -1008", "handler -1008"])
    #expect(fixture.server.requests.isEmpty)
    #expect(try fixture.files() == [])
  }

  @Test("Cancelling what an ended process left removes its file and its record")
  func cancelled() async throws {
    let fixture = try IdentifiedFixture(stalls: 1)
    try await fixture.leaveSuspended()
    let lines = try await fixture.run("cancel", "\(first)", "until", "1")
    #expect(lines.callbacks == ["delivered", "completed \(first) -999", "invalid"])
    #expect(fixture.server.requests.count == 1)
    #expect(try fixture.files() == [])
  }

  @Test("A cancellation that the delegate did not hear of is told by the next process")
  func untoldCancellation() async throws {
    let fixture = try IdentifiedFixture(stalls: 1)
    try await fixture.leaveSuspended()
    _ = try await fixture.run(until: "stalled \(first)\n", "cancel", "\(first)", "stall", "complete")
    let lines = try await fixture.run("until", "1")
    #expect(lines.callbacks == ["completed \(first) -999", "delivered", "invalid"])
    #expect(fixture.server.requests.count == 1)
    #expect(try fixture.files() == [])
  }

  @Test("Pausing what an ended process left hands out resume data for any session")
  func paused() async throws {
    let fixture = try IdentifiedFixture(stalls: 1)
    try await fixture.leaveSuspended()
    let child = try fixture.start("pause", "\(first)", "until", "1")
    try await child.waitForOutput("blob \(first) ")
    try await child.waitForOutput("invalid\n")
    let lines = try await fixture.kill(child)
    #expect(lines.callbacks.filter { !$0.hasPrefix("blob") } == ["delivered", "completed \(first) -999", "invalid"])
    // Another session leaves alone what it has no task for.
    #expect(try await fixture.run(until: "ready\n").tasks == [])

    let blob = try Data(contentsOf: fixture.home.url("keep/\(first).blob"))
    #expect(try ResumeData(blob).byteOffset == stop)
    let session = DownloadSession(configuration: .default)
    defer { session.finishTasksAndInvalidate() }
    let (file, _) = try await session.download(resumeFrom: blob)
    #expect(try fixture.difference(in: file.path) == nil)
    try FileManager.default.removeItem(at: file)
    #expect(fixture.server.requests.map(\.rangeStart) == [nil, stop])
    #expect(try fixture.files() == [])
  }

  @Test("A task made from resume data goes on after a kill, also when the file has changed in between")
  func resumed() async throws {
    let old = RangeResource.Version(.generated(seed: 4, count: IdentifiedFixture.count), entityTag: "\"old\"")
    let resource = RangeResource(old, drops: [.dropAfter(stop), .dropAfter(stop, .hang)])
    let fixture = try IdentifiedFixture(handler: resource.answer)
    let partials = try SessionFixture()
    defer { partials.session.invalidateAndCancel() }
    let outcome = try await partials.run(partials.session.downloadTask(with: fixture.server.url("/file")))
    let blob = try #require(outcome.resumeData)
    try fixture.home.write(blob, to: "blob")
    resource.replace(with: .init(.generated(seed: IdentifiedFixture.seed, count: IdentifiedFixture.count)))

    _ = try await fixture.run(until: "wrote \(first) \(stop)\n", "from", fixture.home.path("blob"))
    let lines = try await fixture.run("until", "1")
    #expect(
      lines.callbacks == [
        "delivered", "resumed \(first) \(stop)", "finished \(first) 206", "completed \(first) ok", "invalid",
      ])
    #expect(fixture.server.requests.map(\.rangeStart) == [nil, stop, stop])
    #expect(fixture.server.requests.map { $0.value("If-Range") } == [nil, "\"old\"", "\"a1\""])
    #expect(try fixture.difference(in: fixture.kept()) == nil)
    #expect(try fixture.files() == [])
    #expect(partials.kept == [])
  }

  @Test("Records that cannot be read are left alone, and their numbers are not given again")
  func unreadable() async throws {
    let fixture = try IdentifiedFixture(stalls: 1)
    try await fixture.leaveSuspended()
    let good = try Data(contentsOf: fixture.folder.appendingPathComponent("\(first).task"))
    let later = Data(String(decoding: good, as: UTF8.self).replacing("\"version\":1}", with: "\"version\":2}").utf8)
    #expect(later != good)
    let strange: [String: Data] = [
      "\(first + 4).task": later, "\(first + 1).task": good.prefix(good.count / 2), "\(first + 2).task": Data(),
      "\(first + 3).task": Data(repeating: 0, count: 500), "-1.task": good, "x.task": good,
      "99999999999999999999.task": good,
      "\(first + 5).task": Data(String(repeating: "[", count: 100_000).utf8), "unknown.partial": Data("bytes".utf8),
    ]
    for (name, bytes) in strange { try bytes.write(to: fixture.folder.appendingPathComponent(name)) }
    #expect(mkfifo(fixture.folder.appendingPathComponent("\(first + 6).task").path, 0o600) == 0)
    #expect(mkdir(fixture.folder.appendingPathComponent("\(first + 7).task").path, 0o700) == 0)

    let lines = try await fixture.run("resume", "\(first)", "start", fixture.address("/other"), "two", "until", "2")
    #expect(lines.tasks == ["\(first) suspended /file tag one"])
    #expect(lines.all.contains("made \(first + 8)"))
    for number in [first, first + 8] { #expect(try fixture.difference(in: fixture.kept(number)) == nil) }
    #expect(try fixture.files() == (strange.keys + ["\(first + 6).task", "\(first + 7).task"]).sorted())
    for (name, bytes) in strange {
      #expect(try Data(contentsOf: fixture.folder.appendingPathComponent(name)) == bytes)
    }
  }

  @Test("What no task needs goes when a session begins")
  func orphans() async throws {
    let fixture = try IdentifiedFixture(stalls: 1)
    try await fixture.leaveSuspended()
    let kept = try fixture.files()
    for name in ["a.partial", "c.resume", "d.resume.new", "\(first).task.new"] {
      try Data("left".utf8).write(to: fixture.folder.appendingPathComponent(name))
    }
    _ = try await fixture.run(until: "ready\n")
    #expect(try fixture.files() == kept)
  }
}
