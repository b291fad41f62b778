import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import ResumableDownloads

/// What a power cut leaves is made from a record of what was done, for every moment, and continued from.
@Suite(.timeLimit(.minutes(5)))
struct PowerCutTests {
  private static let first = RecordedDownload.versions[0]
  private static let second = RecordedDownload.versions[1]

  @Test("After a power cut no download claims more than was synced, and none loses what was")
  func ended() async throws {
    let download = try await RecordedDownload()
    try await download.run(Self.first, sending: 14_000, until: .journal)
    try await download.run(Self.first, sending: 10_000, until: .checkpoint)
    try await download.run(Self.first, sending: 10_000, until: .checkpoint, end: SIGINT)
    #expect(try await download.finish(Self.first).exit == .exited(0))
    try await CrashStates(download, latest: Self.first, seed: 1).check()
  }

  @Test("A power cut while another version takes the place of the first mixes nothing")
  func replaced() async throws {
    let download = try await RecordedDownload()
    try await download.run(Self.first, sending: 20_000, until: .journal)
    try await download.run(Self.first, sending: 10_000, until: .checkpoint)
    try await download.run(Self.second, sending: 34_000, until: .checkpoint)
    try await download.run(Self.second, sending: 6_000, until: .checkpoint)
    #expect(try await download.finish(Self.second).exit == .exited(0))
    try await CrashStates(download, latest: Self.second, seed: 2).check()
  }

  @Test("A power cut after synced bytes were cut off and sent again trusts only the new ones that were synced")
  func overlapping() async throws {
    let download = try await RecordedDownload()
    try await download.run(Self.first, sending: 14_000, until: .journal)
    try await download.run(Self.first, sending: 14_000, until: .checkpoint)
    try await download.run(Self.first, sending: 24_000, from: 8_192, until: .checkpoint)
    #expect(try await download.finish(Self.first).exit == .exited(0))
    try await CrashStates(download, latest: Self.first, seed: 3).check()
  }

  @Test("A power cut does not bring back the journal of an earlier file with the same name")
  func again() async throws {
    let download = try await RecordedDownload()
    try await download.run(Self.first, sending: 20_000, until: .journal)
    try await download.run(Self.first, sending: 20_000, until: .checkpoint)
    #expect(try await download.finish(Self.first).exit == .exited(0))
    try download.removeFile()
    try await download.run(Self.second, sending: 44_000, until: .journal)
    try await download.run(Self.second, sending: 2_000, until: .checkpoint)
    #expect(try await download.finish(Self.second).exit == .exited(0))
    try await CrashStates(download, latest: Self.second, seed: 4).check()
  }
}
