internal import Foundation
internal import FoundationNetworking
internal import Glibc
internal import Testing

@testable internal import ResumableDownloads

@Suite("Folders of identified sessions", .timeLimit(.minutes(1)))
struct TaskFolderTests {
  private let fixture: StorageFixture
  private let path: String

  init() throws {
    fixture = try StorageFixture()
    path = fixture.directory.path
  }

  private func record(_ identifier: Int, _ text: String, stem: String = UUID().uuidString.lowercased()) throws -> Data {
    let url = try #require(URL(string: "http://localhost/file"))
    var record = TaskRecord(
      identifier: identifier, request: RecordedRequest(URLRequest(url: url), body: nil), partialStem: stem)
    record.description = text
    return try record.encoded()
  }

  @Test("One holder at a time, until it closes or is let go")
  func lock() throws {
    var folder: TaskFolder? = try TaskFolder(path: path)
    #expect(throws: StorageError(operation: .inUse, code: EDEADLK, path: path)) { try TaskFolder(path: path) }
    folder?.close()
    folder = try TaskFolder(path: path)
    folder = nil
    folder = try TaskFolder(path: path)
    #expect(folder != nil)
  }

  @Test("A lock that this process has not taken is another's")
  func foreignLock() throws {
    let lock = try #require(FileDescriptor.open(path + "/.lock", flags: O_RDWR | O_CREAT, mode: 0o600))
    #expect(lock.lock())
    #expect(throws: StorageError(operation: .inUse, code: EWOULDBLOCK, path: path)) { try TaskFolder(path: path) }
    lock.unlock()
    _ = try TaskFolder(path: path)
  }

  @Test("Records are read in order; an older revision never replaces a newer one, and removal is final")
  func revisions() throws {
    let folder = try TaskFolder(path: path)
    try folder.create(12, record(12, "b"))
    try folder.create(7, record(7, "a"))
    try folder.write(12, record(12, "newest"), revision: 3)
    try folder.write(12, record(12, "late"), revision: 2)
    #expect(try folder.records().readable.map(\.description) == ["a", "newest"])
    folder.remove(7)
    try folder.write(7, record(7, "late"), revision: 9)
    #expect(try folder.records().numbers == [12])
    folder.close()
    try folder.write(12, record(12, "closed"), revision: 9)
    let next = try TaskFolder(path: path)
    #expect(try next.records().readable.map(\.description) == ["newest"])
    try next.write(12, record(12, "next"), revision: 1)
    #expect(try next.records().readable.map(\.description) == ["next"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == [".lock", "12.task"])
  }

  @Test("A record under another number, a link and a directory are not read")
  func foreign() throws {
    let folder = try TaskFolder(path: path)
    try record(5, "five").write(to: URL(fileURLWithPath: path + "/6.task"))
    #expect(symlink(path + "/6.task", path + "/5.task") == 0)
    #expect(mkdir(path + "/4.task", 0o700) == 0)
    #expect(try folder.records().readable == [])
    #expect(try folder.records().numbers.sorted() == [4, 5, 6])
  }

  @Test("Partial files of recorded tasks are no leftovers")
  func leftovers() throws {
    let folder = try TaskFolder(path: path)
    let stem = UUID().uuidString.lowercased()
    try folder.create(1, record(1, "one", stem: stem))
    for stem in [stem, "other"] { try fixture.partial(stem, "bytes", fixture.record(stem, offset: 5)).release() }
    #expect(try fixture.directory.abandoned().map(\.partialURL.lastPathComponent) == ["other.partial"])
    try fixture.directory.removeLeftovers(olderThan: .distantFuture)
    let names = [".lock", "1.task", stem + ".partial", stem + ".resume"]
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == names.sorted())
  }

  @Test("Orphans go, downloads that were paused stay, and nothing goes while a record cannot be read")
  func orphans() throws {
    let folder = try TaskFolder(path: path)
    let stem = UUID().uuidString.lowercased()
    try folder.create(1, record(1, "one", stem: stem))
    try fixture.partial("paused", "bytes", fixture.record("paused", offset: 5)).release()
    let orphans = ["a.partial", "c.resume", "d.resume.sync", stem + ".resume.sync", "2.task.new"]
    let kept = ["b.tmp", "paused.resume.new", stem + ".tmp", stem + ".resume", "notes.txt"]
    for name in orphans + kept + ["9.task"] { try Data("x".utf8).write(to: URL(fileURLWithPath: path + "/" + name)) }
    let all = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    folder.removeOrphans(olderThan: .distantPast)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == all)
    #expect(unlink(path + "/9.task") == 0)
    folder.removeOrphans(olderThan: .distantPast)
    let names = [".lock", "1.task", "paused.partial", "paused.resume"] + kept
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == names.sorted())
  }
}

@Suite("Paths of identified sessions", .timeLimit(.minutes(1)))
struct StatePathTests {
  @Test("Different identifiers have different names that stay in their folder")
  func names() {
    let identifiers = [
      "", "%", ".", "..", "a/b", "a%2fb", "a.b", ".a", "A", "a", "ä", "\u{0}", String(repeating: "x", count: 300),
      String(repeating: "x", count: 301),
    ]
    let names = identifiers.map { StatePath.name(for: $0) }
    #expect(Set(names).count == identifiers.count)
    for name in names {
      #expect(!name.isEmpty && name.utf8.count < 200 && !name.hasPrefix(".") && !name.contains("/"))
      #expect(name.utf8.allSatisfy { (0x21...0x7E).contains($0) })
    }
    #expect(StatePath.name(for: "com.example.sync-1") == "com.example.sync-1")
  }

  @Test("XDG_STATE_HOME counts if it is absolute, else HOME")
  func folders() {
    func folder(_ environment: [String: String], base: String? = nil) -> String {
      StatePath.folder(of: "i", in: base, environment: environment)
    }
    #expect(folder(["XDG_STATE_HOME": "/state", "HOME": "/home/a"]).hasPrefix("/state/resumable-downloads/"))
    #expect(folder(["XDG_STATE_HOME": "s", "HOME": "/home/a"]).hasPrefix("/home/a/.local/state/resumable-downloads/"))
    #expect(folder([:]).hasSuffix("/i"))
    #expect(folder(["HOME": "/home/a"], base: "/base") == "/base/i")
  }
}
