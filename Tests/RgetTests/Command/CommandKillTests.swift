import Foundation
import Glibc
import LoopbackServer
import TestSupport
import Testing

@testable import rget

@Suite(.timeLimit(.minutes(3)))
struct CommandKillTests {
  private static let files = 200

  @Test("A list of 200 files from nginx is complete in the end, however often it is killed")
  func list() async throws {
    let root = try TemporaryFolder("root")
    var generator = SeededGenerator(seed: 11)
    var sizes: [Int] = []
    for number in 0..<Self.files {
      sizes.append(Int.random(in: 0...60_000, using: &generator))
      try root.write(Payload.bytes(seed: UInt64(number), count: sizes[number]), to: "f\(number)")
    }
    let nginx = try await Nginx.start(root: root.path)
    let folder = try TemporaryFolder("killed")
    let list = (0..<Self.files).map { "\(nginx.url("/f\($0)").absoluteString)\n" }.joined()
    try folder.write(Data(list.utf8), to: "list")
    try folder.makeFolder("down")
    let arguments = ["-q", "-i", "list", "-d", "down"]
    var saved = 0
    for _ in 0..<8 {
      let child = try Rget.start(arguments, in: folder.path)
      saved += Int.random(in: 1...25, using: &generator)
      // It may come to its end first.
      _ = try await child.reaches("\(saved) complete files", in: folder.path("down")) { [saved] _ in
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path("down"))
        return names?.count { !$0.hasPrefix(".") } ?? 0 >= saved
      }
      child.send(SIGKILL)
      _ = try await child.waitForExit()
    }
    let result = try await Rget.run(arguments, in: folder.path)
    #expect(result.exit == .exited(0), "\(result.errorText)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("down")).count == Self.files)
    for number in 0..<Self.files {
      let data = try Data(contentsOf: folder.url("down/f\(number)"))
      #expect(data == Payload.bytes(seed: UInt64(number), count: sizes[number]), "f\(number)")
    }
    // Each file was fetched once, but for the few that were on their way when a process was killed.
    let fetched = try await nginx.accessLog().filter { $0.method == "GET" }.count
    #expect(fetched <= Self.files + 8 * 4)
    try await nginx.stop()
  }
}
