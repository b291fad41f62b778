import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import ResumableDownloads

/// Every moment of a recorded download at which the power could have failed, each in some of the states it could leave.
struct CrashStates {
  /// How many states are looked at for each call, beyond those in which all of it or nothing is lost.
  private static let samples = 8
  /// One in so many is also downloaded to its end.
  private static let completed = 60
  /// No run of the machine has it.
  private static let otherBoot = "00000000-0000-0000-0000-000000000000"

  private let download: RecordedDownload
  private let latest: RecordedDownload.Version
  private let seed: UInt64
  private let place: TemporaryFolder
  private let known = RecordedDownload.versions.map(\.bytes)

  /// - Parameter latest: What the server has in the end.
  init(_ download: RecordedDownload, latest: RecordedDownload.Version, seed: UInt64) throws {
    self.download = download
    self.latest = latest
    self.seed = seed
    place = try TemporaryFolder("crash")
  }

  /// Checks them all; a failure names the call before which the power failed.
  func check() async throws {
    var (model, generator, count) = (DiskModel(), SeededGenerator(seed: seed), 0)
    var assured: Int64 = 0
    for (index, call) in try download.calls().enumerated() {
      model.apply(call)
      assured = assuredLength(after: call, before: assured, model)
      for sample in 0..<Self.samples + 2 {
        let (names, bytes) = losses(sample, &generator)
        let remains = model.remains(names, bytes, &generator)
        let comment = "call \(index) \(call.kind), sample \(sample) of seed \(seed), names \(names)"
        try lay(remains)
        try look(remains, model, assured: names.isOrdered ? assured : 0, comment)
        count += 1
        if count % Self.completed == 0 {
          try lay(remains)
          try await complete(comment)
        }
      }
    }
    #expect(count > 300)
  }

  private func losses(
    _ sample: Int, _ generator: inout SeededGenerator
  ) -> (DiskModel.NameLoss, () -> DiskModel.ByteLoss) {
    switch sample {
    case 0: return (.none, { .all })
    case 1: return (.none, { .zeros })
    default:
      let names = DiskModel.NameLoss.allCases.randomElement(using: &generator) ?? .none
      let bytes = (0..<8).map { _ in DiskModel.ByteLoss.allCases.randomElement(using: &generator) ?? .none }
      // Another one for each file.
      var next = 0
      return (
        names,
        {
          next += 1
          return bytes[next % bytes.count]
        }
      )
    }
  }

  /// How much must be there after every power cut from now on: what a journal says was synced, once that journal is.
  private func assuredLength(after call: DiskCall, before: Int64, _ model: DiskModel) -> Int64 {
    let journal = download.stem + ".resume"
    switch call {
    case .syncFolder:
      guard model.names[download.stem + ".partial"] != nil,
        let file = model.names[journal].flatMap({ model.files[$0] }), file.durable == file.current
      else {
        return before
      }
      return (try? ResumeData(file.current).syncedByteOffset) ?? 0
    case .unlink(journal), .rename(download.stem + ".partial", _): return 0
    case .rename(_, journal):
      guard let file = model.names[journal].flatMap({ model.files[$0] }) else { return 0 }
      return min(before, (try? ResumeData(file.current).syncedByteOffset) ?? 0)
    default: return before
    }
  }

  /// Puts the state into a folder, as another run of the machine finds it.
  private func lay(_ remains: DiskModel.Remains) throws {
    for name in try place.contents() { try FileManager.default.removeItem(atPath: place.path(name)) }
    for (name, file) in remains {
      var bytes = file.bytes
      let own = Data(BootIdentifier.current.utf8)
      if let range = bytes.range(of: own) { bytes.replaceSubrange(range, with: Data(Self.otherBoot.utf8)) }
      try place.write(bytes, to: name)
    }
  }

  /// Opens what there is as the next process does.
  private func look(
    _ remains: DiskModel.Remains, _ model: DiskModel, assured: Int64, _ comment: String
  ) throws {
    if let file = remains["file.bin"] { #expect(known.contains(file.bytes), "the file, \(comment)") }
    let name = download.stem + ".partial"
    let synced = remains[name].flatMap { model.files[$0.file]?.durable.count } ?? 0
    let opened = try PartialDirectory(sharedPath: place.path).openUnclaimed(stem: download.stem)
    let length = opened?.file.length ?? 0
    #expect(length <= synced, "\(length) of \(synced) synced bytes, \(comment)")
    #expect(length >= assured, "\(length) of \(assured) assured bytes, \(comment)")
    guard let opened else { return }
    defer { opened.file.release() }
    let version = try #require(RecordedDownload.versions.first { $0.tag == opened.record.entityTag })
    let bytes = try Data(contentsOf: place.url(name))
    let wrong = zip(bytes, version.bytes).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    #expect(wrong == nil && bytes.count == length, "byte \(wrong ?? -1) of \(length), \(comment)")
  }

  /// Downloads the rest.
  private func complete(_ comment: String) async throws {
    let wasThere = FileManager.default.fileExists(atPath: place.path("file.bin"))
    let asked = download.server.requests.count
    let result = try await download.finish(latest, in: place)
    #expect(result.exit == .exited(wasThere ? 1 : 0), "\(result.errorText), \(comment)")
    let bytes = try Data(contentsOf: place.url("file.bin"))
    // Where all bytes of the first version are on the disk, nobody asks the server for another.
    #expect(known.contains(bytes), "the whole file, \(comment)")
    if download.server.requests.count > asked { #expect(bytes == latest.bytes, "the version, \(comment)") }
  }
}
