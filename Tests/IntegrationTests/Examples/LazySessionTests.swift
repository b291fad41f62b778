import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Runs `LazySession` and types to it.
@Suite(.timeLimit(.minutes(3)))
struct LazySessionTests {
  private static let program = "LazySession"

  @Test("Paused and continued five times, each time from the last byte, the file is right")
  func fiveTimes() async throws {
    // Each answer stalls a MiB later than the one before.
    let fixture = try ExampleFixture(Self.program, stallsAfter: [2, 1, 1, 1, 1])
    let child = try fixture.start(fixture.address(), "file.bin")
    try child.type("start")
    for tenths in 2...6 {
      try await child.waitForOutput("\(tenths)0 %\n")
      try child.type("pause")
      try await child.waitForLines(tenths - 1, startingWith: "paused, ")
      try child.type("continue")
    }
    let result = try await child.wait()
    #expect(result.exit == .exited(0), "\(result.errorText)")
    let stops = (2...6).map { $0 * ExampleFixture.mebibyte }
    #expect(
      ExampleFixture.lines(result).filter { !$0.hasPrefix("paused, ") } == ["started"]
        + stops.map { "continued at byte \($0) of \(ExampleFixture.count)" } + ["saved file.bin"])
    #expect(fixture.starts == [nil] + stops)
    #expect(fixture.areConditional)
    #expect(try fixture.files() == ["file.bin"])
    #expect(try fixture.difference(in: "file.bin") == nil)
  }

  @Test("The same with nginx, at whatever bytes the pauses come")
  func nginx() async throws {
    let fixture = try ExampleFixture(Self.program)
    let body = Payload.bytes(seed: ExampleFixture.seed, count: Int(ExampleFixture.count))
    try fixture.folder.makeFolder("served")
    try fixture.folder.write(body, to: "served/file.bin")
    let options = ServerOptions(bytesPerSecond: Int(ExampleFixture.mebibyte))
    let nginx = try await Nginx.start(root: fixture.folder.path("served"), options: options)
    let child = try fixture.start(nginx.url("/file.bin").absoluteString, "file.bin")
    try child.type("start")
    for tenths in 1...3 {
      try await child.waitForProgress(atLeast: tenths * 10)
      try child.type("pause")
      try await child.waitForLines(tenths, startingWith: "paused, ")
      try child.type("continue")
      try await child.waitForLines(tenths, startingWith: "continued at byte ")
    }
    let result = try await child.wait()
    #expect(result.exit == .exited(0), "\(result.text)\(result.errorText)")
    let continued = ExampleFixture.lines(result).filter { $0.hasPrefix("continued at byte ") }
    let offsets = continued.map { $0.split(separator: " ")[3] }
    let log = try await nginx.accessLog(atLeast: 4)
    #expect(log.map(\.range) == [nil] + offsets.map { "bytes=\($0)-" })
    #expect(log.map(\.status) == [200, 206, 206, 206])
    #expect(log.dropFirst().allSatisfy { $0.ifRange?.hasPrefix("\"") == true })
    #expect(try fixture.difference(in: "file.bin") == nil)
    try await nginx.stop()
  }

  @Test("A broken connection leaves something to continue with too")
  func broken() async throws {
    let resource = RangeResource(
      .init(.generated(seed: ExampleFixture.seed, count: ExampleFixture.count)),
      drops: [.dropAfter(3 * ExampleFixture.mebibyte, .close)])
    let fixture = try ExampleFixture(Self.program, handler: resource.answer)
    let child = try fixture.start(fixture.address(), "file.bin")
    try child.type("start")
    try await child.waitForLines(1, startingWith: "failed: ")
    try child.type("continue")
    let result = try await child.wait()
    #expect(result.exit == .exited(0), "\(result.text)\(result.errorText)")
    #expect(fixture.starts == [nil, 3 * ExampleFixture.mebibyte])
    #expect(fixture.areConditional)
    #expect(try fixture.difference(in: "file.bin") == nil)
  }

  @Test("Pausing what does not run and continuing nothing are told, and an error page is no file")
  func misuse() async throws {
    let fixture = try ExampleFixture(Self.program) { _ in .status(404, Data("no".utf8)) }
    let child = try fixture.start(fixture.address(), "file.bin")
    try child.type("pause")
    try child.type("continue")
    try child.type("start")
    try await child.waitForOutput("the server answered with status 404\n")
    try child.type("quit")
    let result = try await child.wait()
    #expect(result.exit == .exited(0))
    #expect(
      ExampleFixture.lines(result) == [
        "it is not running", "there is nothing to continue", "started", "the server answered with status 404",
      ])
    #expect(try fixture.files() == [])
  }
}
