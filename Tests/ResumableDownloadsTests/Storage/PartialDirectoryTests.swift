internal import Foundation
internal import Glibc
internal import Testing

@testable internal import ResumableDownloads

@Suite(.timeLimit(.minutes(1)))
struct PartialDirectoryTests {
  let fixture: StorageFixture

  init() throws {
    fixture = try StorageFixture()
  }

  @Test("Folders that others can use are refused")
  func foldersThatOthersCanUseAreRefused() throws {
    let path = fixture.root + "/partials"
    #expect(FileStatus.of(path)?.isPrivateDirectory == true)
    #expect(symlink(path, fixture.root + "/link") == 0)
    #expect(storageError { _ = try PartialDirectory(privatePath: fixture.root + "/link") }?.operation == .notOurs)
    #expect(chmod(path, 0o750) == 0)
    #expect(storageError { _ = try PartialDirectory(privatePath: path) }?.operation == .notOurs)
    #expect(storageError { _ = try PartialDirectory(sharedPath: fixture.root + "/none") }?.code == ENOENT)
    _ = try PartialDirectory(sharedPath: fixture.root + "/link")
  }

  @Test("A file has one user at a time")
  func aFileHasOneUser() throws {
    let record = fixture.record("a")
    let file = try fixture.partial("a", "abc", record)
    #expect(storageError { _ = try fixture.directory.open(for: record) }?.operation == .inUse)
    #expect(storageError { _ = try fixture.directory.create(stem: "a") }?.code == EEXIST)
    file.release()
    #expect(try fixture.directory.open(for: record)?.record.byteOffset == 3)
  }

  @Test("Anything but a file of ours is refused", arguments: ["symlink", "hard link", "FIFO", "directory"])
  func anythingButAFileOfOursIsRefused(kind: String) throws {
    let record = fixture.record("a")
    try fixture.partial("a", "abc", record).release()
    let path = fixture.directory.path + "/a.partial"
    let other = fixture.root + "/other"
    #expect(rename(path, other) == 0)
    switch kind {
    case "symlink": #expect(symlink(other, path) == 0)
    case "hard link": #expect(link(other, path) == 0)
    case "FIFO": #expect(mkfifo(path, 0o600) == 0)
    default: #expect(mkdir(path, 0o700) == 0)
    }
    #expect(storageError { _ = try fixture.directory.open(for: record) }?.operation == .notOurs)
    #expect(storageError { _ = try fixture.directory.openUnclaimed(stem: "a") }?.operation == .notOurs)
    #expect(fixture.text("other") == "abc")
  }

  @Test("Only the journal's own identity opens a file")
  func onlyTheJournalsOwnIdentityOpensAFile() throws {
    try fixture.partial("a", "abc", fixture.record("a")).release()
    #expect(try fixture.directory.open(for: fixture.record("a")) == nil)
    #expect(try fixture.directory.open(for: fixture.record("../partials/a")) == nil)
    #expect(fixture.text("partials/a.partial") == "abc")
  }

  @Test("A moved folder is searched by name")
  func aMovedFolderIsSearchedByName() throws {
    let record = fixture.record("a")
    try fixture.partial("a", "abc", record).release()
    #expect(rename(fixture.root + "/partials", fixture.root + "/moved") == 0)
    let moved = try PartialDirectory(privatePath: fixture.root + "/moved")
    #expect(try moved.open(for: record)?.file.path == fixture.root + "/moved/a.partial")
    let other = try PartialDirectory(privatePath: fixture.root + "/other")
    #expect(try other.open(for: record) == nil)
  }

  @Test("An unclaimed file without a journal is removed, one with something else in its place is not")
  func anUnclaimedFileWithoutJournalIsRemoved() throws {
    _ = try fixture.directory.create(stem: "a")
    #expect(try fixture.directory.openUnclaimed(stem: "a") == nil)
    #expect(try fixture.directory.openUnclaimed(stem: "none") == nil)
    let file = try fixture.directory.create(stem: "a")
    try Data("not a journal".utf8).write(to: URL(fileURLWithPath: fixture.directory.path + "/a.resume"))
    file.release()
    #expect(storageError { _ = try fixture.directory.openUnclaimed(stem: "a") }?.operation == .notOurs)
    #expect(fixture.exists("partials/a.partial"))
    #expect(storageError { _ = try fixture.directory.create(stem: "../a") }?.code == EINVAL)
    #expect(try fixture.directory.records().isEmpty)
  }

  @Test("Bytes that cannot be trusted are cut off")
  func bytesThatCannotBeTrustedAreCutOff() throws {
    let record = fixture.record("a", offset: 6, synced: 2, boot: "before")
    try fixture.partial("a", "abcdef", record).release()
    let opened = try #require(try fixture.directory.open(for: record))
    #expect(opened.record.byteOffset == 2 && opened.file.length == 2)
    #expect(fixture.text("partials/a.partial") == "ab")
  }

  @Test("Leftovers go when they are old, unless they are in use or not ours")
  func leftoversGoUnlessInUse() throws {
    let used = try fixture.partial("used", "abc", fixture.record("used"))
    try fixture.partial("old", "abc", fixture.record("old")).release()
    for name in ["x.tmp", "y.resume.new", "z.resume", "keep.txt"] {
      try Data("x".utf8).write(to: URL(fileURLWithPath: fixture.directory.path + "/" + name))
    }
    try fixture.directory.removeLeftovers(olderThan: Date(timeIntervalSinceNow: -60))
    #expect(fixture.exists("partials/x.tmp") && fixture.exists("partials/old.partial"))
    try fixture.directory.removeLeftovers(olderThan: Date(timeIntervalSinceNow: 60))
    let names = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path).sorted()
    #expect(names == ["keep.txt", "used.partial", "used.resume"])
    used.release()
  }
}
