import Foundation
import FoundationNetworking
import TestSupport
import Testing

@testable import rget

@Suite(.timeLimit(.minutes(1)))
struct ExistingFileTests {
  private static let noon = Date(timeIntervalSince1970: 1_700_000_000)

  private static let noonText = "Tue, 14 Nov 2023 22:13:20 GMT"
  private static let laterText = "Tue, 14 Nov 2023 22:13:21 GMT"

  /// A file of 10 bytes that was saved with these validators.
  private static func saved(_ tag: String?, _ date: String?) -> ExistingFile {
    let version = SavedVersion(source: "", AnsweredVersion(entityTag: tag, lastModified: date))
    return ExistingFile(size: 10, modified: noon, note: .current(version))
  }

  @Test(
    "A file without a note is the server's if the length is right and it is no older",
    arguments: [
      (10, noonText, .same), (10, "Tue, 14 Nov 2023 22:12:20 GMT", .same), (10, laterText, .different),
      (11, noonText, .different), (nil, noonText, .unknown), (nil, laterText, .different), (10, nil, .unknown),
      (11, nil, .different), (nil, nil, .unknown),
    ] as [(Int64?, String?, ExistingFile.Verdict)])
  func foreign(length: Int64?, date: String?, expected: ExistingFile.Verdict) {
    let file = ExistingFile(size: 10, modified: Self.noon)
    #expect(file.verdict(AnsweredVersion(length: length, entityTag: "\"a\"", lastModified: date)) == expected)
  }

  @Test(
    "A saved file is the server's if the length and the noted validator are, the tag before the date",
    arguments: [
      (saved("\"a\"", nil), 10, "\"a\"", nil, .same), (saved("\"a\"", nil), 10, "\"b\"", nil, .different),
      (saved("\"a\"", nil), 11, "\"a\"", nil, .different), (saved("\"a\"", nil), nil, "\"a\"", nil, .same),
      (saved("W/\"a\"", nil), 10, "W/\"a\"", nil, .same), (saved("W/\"a\"", nil), 10, "\"a\"", nil, .same),
      (saved("W/\"a\"", nil), 10, "W/\"b\"", nil, .different),
      (saved("\"a\"", noonText), 10, "\"b\"", noonText, .different),
      (saved("\"a\"", noonText), 10, "\"a\"", laterText, .same),
      (saved(nil, noonText), 10, nil, noonText, .same), (saved(nil, noonText), 10, "\"a\"", noonText, .same),
      (saved(nil, laterText), 10, nil, noonText, .different), (saved(nil, nil), 10, nil, nil, .same),
      (saved(nil, nil), nil, nil, nil, .unknown), (saved("\"a\"", nil), 10, nil, nil, .same),
      (saved("\"a\"", nil), 10, nil, noonText, .same), (saved(nil, nil), 10, "\"a\"", nil, .unknown),
    ] as [(ExistingFile, Int64?, String?, String?, ExistingFile.Verdict)])
  func noted(file: ExistingFile, length: Int64?, tag: String?, date: String?, expected: ExistingFile.Verdict) {
    #expect(file.verdict(AnsweredVersion(length: length, entityTag: tag, lastModified: date)) == expected)
  }

  @Test("A file that has changed since its note is never taken for the server's")
  func changed() {
    let file = ExistingFile(size: 10, modified: Self.noon, note: .outdated)
    #expect(file.verdict(AnsweredVersion(length: 10, entityTag: "\"a\"", lastModified: Self.noonText)) == .changed)
    #expect(file.verdict(AnsweredVersion(length: 11)) == .different)
  }

  @Test("An answer about something else than the file says nothing", arguments: [405, 501, 304])
  func otherStatus(status: Int) throws {
    let fields = ["Content-Length": "10", "ETag": "\"a\"", "Last-Modified": Self.noonText]
    let url = try #require(URL(string: "http://a.test/f"))
    let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields)
    #expect(AnsweredVersion(try #require(response)) == AnsweredVersion())
  }

  @Test(
    "A note counts until the file changes, and unreadable notes count for nothing",
    .enabled(if: NoteDisk.isPossible, "the disk has no attributes of users"))
  func notes() throws {
    let folder = try TemporaryFolder("notes")
    let path = try folder.write(Data("1234567890".utf8), to: "f")
    let version = SavedVersion(source: "x", AnsweredVersion(entityTag: "\"a\""))
    version.note(on: path)
    let note = try #require(SavedVersion(of: path))
    #expect(note.entityTag == "\"a\"" && note.source == "x" && note.size == 10)
    #expect(ExistingFile(path: path)?.note == .current(note))
    try Data("0987654321".utf8).write(to: folder.url("f"), options: [])
    #expect(ExistingFile(path: path)?.note == .outdated)
    version.note(on: path)
    try FileManager.default.setAttributes([.modificationDate: Self.noon], ofItemAtPath: path)
    #expect(ExistingFile(path: path)?.note == .outdated)
    #expect(ExtendedAttribute.write(Data("{".utf8), as: SavedVersion.attribute, to: path))
    #expect(ExistingFile(path: path)?.note == ExistingFile.Note.none)
    #expect(!ExtendedAttribute.write(Data(count: 5000), as: SavedVersion.attribute, to: path))
  }

  @Test("Dates are read as HTTP writes them, whatever the time zone")
  func date() {
    #expect(HTTPTime.date("Sun, 06 Nov 1994 08:49:37 GMT") == Date(timeIntervalSince1970: 784_111_777))
    for text in ["", "yesterday", "Sun, 06 Nov 1994", nil] { #expect(HTTPTime.date(text) == nil) }
  }

  @Test("The last step never replaces a file unless it is to; the time is set before")
  func publication() throws {
    let folder = try TemporaryFolder("publish")
    let staged = try folder.write(Data("new".utf8), to: ".staged")
    let taken = try folder.write(Data("old".utf8), to: "taken")
    #expect(try Publication.publish(staged, as: taken, replacing: false) == .nameTaken)
    #expect(try Data(contentsOf: folder.url("taken")) == Data("old".utf8))
    Publication.prepare(staged, modified: Self.noon, version: SavedVersion(source: "", AnsweredVersion()))
    #expect(try Publication.publish(staged, as: folder.path("x"), replacing: false) == .published)
    #expect(ExistingFile(path: folder.path("x"))?.modified == Self.noon)
    try folder.write(Data("newer".utf8), to: ".staged")
    #expect(try Publication.publish(staged, as: taken, replacing: true) == .published)
    #expect(try Data(contentsOf: folder.url("taken")) == Data("newer".utf8))
    #expect(try folder.contents() == ["taken", "x"])
    #expect(throws: Failure.self) { try Publication.publish(staged, as: folder.path("y"), replacing: false) }
  }

  @Test("A name that cannot be given is told with the reason of the system")
  func unpublished() throws {
    let folder = try TemporaryFolder("publish")
    let staged = try folder.write(Data("new".utf8), to: ".staged")
    // Another file system than that of any temporary folder.
    let path = "/dev/\(UUID().uuidString)"
    let failure = #expect(throws: Failure.self) { try Publication.publish(staged, as: path, replacing: false) }
    #expect(failure?.status == .disk)
    #expect(failure?.reason == "cannot give the file its name \(path): Invalid cross-device link")
  }

  @Test("Folders and dead links are there, but are no complete file")
  func others() throws {
    let folder = try TemporaryFolder("others")
    try folder.makeFolder("d")
    try FileManager.default.createSymbolicLink(atPath: folder.path("l"), withDestinationPath: "nowhere")
    #expect(ExistingFile(path: folder.path("d"))?.verdict(AnsweredVersion(length: 0)) == .different)
    #expect(ExistingFile(path: folder.path("l"))?.verdict(AnsweredVersion(length: 0)) == .different)
    #expect(ExistingFile(path: folder.path("none")) == nil)
  }
}
