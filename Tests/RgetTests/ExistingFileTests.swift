import Foundation
import TestSupport
import Testing

@testable import rget

@Suite struct ExistingFileTests {
  private static let noon = Date(timeIntervalSince1970: 1_700_000_000)

  @Test(
    "A file is the server's if the length is right and it is no older",
    arguments: [
      (10, noon, .same), (10, noon - 60, .same), (10, noon + 1, .different), (11, noon, .different), (nil, noon, .same),
      (nil, noon + 1, .different), (10, nil, .same), (11, nil, .different), (nil, nil, .unknown),
    ] as [(Int64?, Date?, ExistingFile.Verdict)])
  func verdict(length: Int64?, lastModified: Date?, expected: ExistingFile.Verdict) {
    let file = ExistingFile(size: 10, modified: Self.noon)
    #expect(file.verdict(length: length, lastModified: lastModified) == expected)
  }

  @Test("Dates are read as HTTP writes them, whatever the time zone")
  func date() {
    #expect(HTTPTime.date("Sun, 06 Nov 1994 08:49:37 GMT") == Date(timeIntervalSince1970: 784_111_777))
    for text in ["", "yesterday", "Sun, 06 Nov 1994", nil] { #expect(HTTPTime.date(text) == nil) }
  }

  @Test("The last step never replaces a file unless it is to, and sets the time")
  func publication() throws {
    let folder = try TemporaryFolder("publish")
    let staged = try folder.write(Data("new".utf8), to: ".staged")
    let taken = try folder.write(Data("old".utf8), to: "taken")
    #expect(try Publication.publish(staged, as: taken, modified: nil, replacing: false) == .nameTaken)
    #expect(try Data(contentsOf: folder.url("taken")) == Data("old".utf8))
    #expect(try Publication.publish(staged, as: folder.path("x"), modified: Self.noon, replacing: false) == .published)
    #expect(ExistingFile(path: folder.path("x")) == ExistingFile(size: 3, modified: Self.noon))
    try folder.write(Data("newer".utf8), to: ".staged")
    #expect(try Publication.publish(staged, as: taken, modified: nil, replacing: true) == .published)
    #expect(try Data(contentsOf: folder.url("taken")) == Data("newer".utf8))
    #expect(try folder.contents() == ["taken", "x"])
    #expect(throws: Failure.self) {
      try Publication.publish(staged, as: folder.path("y"), modified: nil, replacing: false)
    }
  }

  @Test("Folders and dead links are there, but are no complete file")
  func others() throws {
    let folder = try TemporaryFolder("others")
    try folder.makeFolder("d")
    try FileManager.default.createSymbolicLink(atPath: folder.path("l"), withDestinationPath: "nowhere")
    #expect(ExistingFile(path: folder.path("d"))?.verdict(length: 0, lastModified: nil) == .different)
    #expect(ExistingFile(path: folder.path("l"))?.verdict(length: 0, lastModified: nil) == .different)
    #expect(ExistingFile(path: folder.path("none")) == nil)
  }
}
