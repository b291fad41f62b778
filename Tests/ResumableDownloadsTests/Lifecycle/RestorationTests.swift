internal import Foundation
internal import FoundationNetworking
internal import Testing

@testable internal import ResumableDownloads

@Suite("What becomes of recorded tasks", .timeLimit(.minutes(1)))
struct RestorationTests {
  private let fixture: StorageFixture
  private var record: TaskRecord

  init() throws {
    fixture = try StorageFixture()
    let url = try #require(URL(string: "http://localhost/file"))
    record = TaskRecord(
      identifier: 1, request: RecordedRequest(URLRequest(url: url), body: nil),
      partialStem: UUID().uuidString.lowercased())
  }

  private func restoration(of record: TaskRecord) -> String {
    switch Restoration(of: record, in: fixture.directory) {
    case .finished(let file, let size): "finished \((file.path as NSString).lastPathComponent) \(size)"
    case .handedOver: "handed over"
    case .cancelled(let producing): producing ? "paused" : "cancelled"
    case .running: "running"
    case .suspended: "suspended"
    }
  }

  @Test(
    "Without a finished file the record's state counts",
    arguments: [
      (.suspended, "suspended"), (.running, "running"), (.cancelled, "cancelled"), (.paused, "paused"),
    ] as [(TaskRecord.State, String)])
  func states(state: TaskRecord.State, expected: String) {
    var record = record
    record.state = state
    #expect(restoration(of: record) == expected)
    record.isHandedOver = true
    #expect(restoration(of: record) == "handed over")
  }

  @Test("A finished file counts more than the state, and its leftover journal goes")
  func finished() throws {
    var record = record
    record.state = .cancelled
    record.isHandedOver = true
    let base = fixture.directory.path + "/" + record.partialStem
    try Data("bytes".utf8).write(to: URL(fileURLWithPath: base + ".tmp"))
    try fixture.record(record.partialStem).encoded.write(to: URL(fileURLWithPath: base + ".resume"))
    #expect(restoration(of: record) == "finished \(record.partialStem).tmp 5")
    #expect(!FileManager.default.fileExists(atPath: base + ".resume"))
  }

  @Test("A file at the destination is ours only if it is the very file that was downloaded")
  func destination() throws {
    var record = record
    let path = fixture.root + "/file.bin"
    record.destination = .init(path: path, replacesExisting: true)
    record.state = .running
    try Data("bytes".utf8).write(to: URL(fileURLWithPath: path))
    #expect(restoration(of: record) == "running")
    record.finished = TaskRecord.FinishedFile(try #require(FileStatus.of(path)))
    #expect(restoration(of: record) == "finished file.bin 5")
    try Data("other".utf8).write(to: URL(fileURLWithPath: path + ".new"))
    #expect(rename(path + ".new", path) == 0)
    #expect(restoration(of: record) == "running")
  }
}
