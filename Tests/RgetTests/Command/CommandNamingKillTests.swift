import Foundation
import Glibc
import LoopbackServer
import TestSupport
import Testing

@testable import rget

/// `rget` is killed before and after each change that it makes between the last byte and the name.
@Suite(.timeLimit(.minutes(10)))
struct CommandNamingKillTests {
  /// One way to come to a name.
  struct Scene: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var lastModified: String? = "Mon, 01 Jan 2024 10:00:00 GMT"
    var disposition: String?
    var arguments: [String] = []
    /// A file that is there before, under the name.
    var old: Data?
    /// How often the body may be asked for, over all; the first bytes of an answer are enough to see its head.
    var mostGets = 1

    var name: String { disposition ?? "f" }
  }

  /// Enough for a journal, so that also a partial that is whole is known to be.
  private static let bytes = Payload.bytes(seed: 41, count: 1_600_000)
  private static let sum = Digest.hexadecimal(Digest.sha256.hash(of: bytes))

  private static let scenes = [
    Scene(testDescription: "a name of the URL"),
    Scene(testDescription: "checked", arguments: ["--checksum", "sha256:\(sum)"]),
    Scene(testDescription: "with the time of now", arguments: ["--no-remote-time"]),
    // Until the tag is noted nobody can tell whether what is there is what the server has.
    Scene(testDescription: "only an entity tag", lastModified: nil, mostGets: 2),
    Scene(testDescription: "a name of the server", disposition: "report.pdf", mostGets: 2),
    // What is there is to be replaced, whatever it is.
    Scene(testDescription: "replacing", arguments: ["--overwrite"], old: Data("old".utf8), mostGets: 2),
  ]

  @Test("Killed at any step to the name, the same command ends with the file and nothing else", arguments: scenes)
  func everywhere(scene: Scene) async throws {
    let fields = scene.disposition.map { [("Content-Disposition", "attachment; filename=\"\($0)\"")] } ?? []
    let resource = RangeResource(
      .init(.data(Self.bytes), entityTag: "\"k1\"", lastModified: scene.lastModified, fields: fields))
    let server = try LoopbackServer(handler: resource.answer)
    let preload = try await Preload.library()
    var kills = 0
    for order in try await orders(scene, server, preload) {
      let folder = try begin(scene)
      let asked = server.requests.count
      let environment = preload.environment(folder: folder.path, orders: [order])
      let first = try await run(scene, server, folder, environment)
      // How often a kind comes before depends on what comes in first, the network or the disk.
      if first.exit == .signalled(SIGKILL) { kills += 1 }
      try expectNothingTorn(scene, folder, "\(order)")
      let second = try await run(scene, server, folder, [:])
      #expect(second.exit == .exited(0), "\(order): \(second.errorText)")
      try expectEnd(scene, folder, "\(order)")
      let gets = server.requests.dropFirst(asked).filter { $0.method == "GET" }
      #expect(gets.count <= scene.mostGets, "\(order)")
    }
    #expect(kills >= 10)
  }

  private func begin(_ scene: Scene) throws -> TemporaryFolder {
    let folder = try TemporaryFolder("naming")
    if let old = scene.old { try folder.write(old, to: scene.name) }
    return folder
  }

  private func run(
    _ scene: Scene, _ server: LoopbackServer, _ folder: TemporaryFolder, _ environment: [String: String?]
  ) async throws -> ChildProcess.Result {
    let address = server.url("/f").absoluteString
    return try await Rget.run(scene.arguments + [address], in: folder.path, environment: environment)
  }

  /// The kills before and after each call of an undisturbed run, from the sync of the whole partial file on.
  private func orders(
    _ scene: Scene, _ server: LoopbackServer, _ preload: Preload
  ) async throws -> [Preload.Order] {
    let (folder, logs) = (try begin(scene), try TemporaryFolder("logs"))
    let environment = preload.environment(folder: folder.path, log: logs.path("log"))
    let result = try await run(scene, server, folder, environment)
    #expect(result.exit == .exited(0), "\(result.errorText)")
    let calls = try DiskCall.read(logs.path("log"))
    let move = try #require(
      calls.lastIndex {
        if case .rename(_, let to) = $0 { StagedName.finalName(of: to) != nil } else { false }
      })
    var counts: [String: Int] = [:]
    var steps = [("time", 1), ("attribute", 1)]
    for (index, call) in calls.enumerated() {
      counts[call.kind, default: 0] += 1
      if index >= move - 1, call.kind != "write" { steps.append((call.kind, counts[call.kind, default: 0])) }
    }
    #expect(calls.last?.kind == (scene.old == nil ? "unlink" : "sync"))
    return steps.flatMap { kind, number in [.kill(kind, number, .before), .kill(kind, number, .after)] }
  }

  /// A file under the final name is whole, at any moment.
  private func expectNothingTorn(_ scene: Scene, _ folder: TemporaryFolder, _ comment: String) throws {
    guard FileManager.default.fileExists(atPath: folder.path(scene.name)) else { return }
    let content = try Data(contentsOf: folder.url(scene.name))
    #expect(content == Self.bytes || content == scene.old, "\(comment)")
  }

  private func expectEnd(_ scene: Scene, _ folder: TemporaryFolder, _ comment: String) throws {
    #expect(try folder.contents() == [scene.name], "\(comment)")
    let path = folder.path(scene.name)
    #expect(try Data(contentsOf: folder.url(scene.name)) == Self.bytes, "\(comment)")
    let file = try #require(ExistingFile(path: path))
    if let date = HTTPTime.date(scene.lastModified), !scene.arguments.contains("--no-remote-time") {
      #expect(file.modified == date, "\(comment)")
    }
    guard NoteDisk.isPossible else { return }
    guard case .current(let note) = file.note else {
      Issue.record("no note, \(comment)")
      return
    }
    #expect(note.entityTag == "\"k1\"", "\(comment)")
  }
}
