import Foundation
import Testing

@testable import rget

@Suite(.timeLimit(.minutes(1)))
struct URLListTests {
  @Test("Lists have URLs, names, comments and empty lines")
  func list() throws {
    let text = "\u{FEFF}# mine\r\nhttps://a.test/f\n\n  https://b.test/g \t a name.txt  \r\nhttp://c.test/h\tx"
    let lines = try URLList.parse(text, source: "l")
    #expect(lines.map(\.url.absoluteString) == ["https://a.test/f", "https://b.test/g", "http://c.test/h"])
    #expect(lines.map(\.name) == [nil, "a name.txt", "x"])
  }

  @Test(
    "Mistakes are found by their line",
    arguments: [
      ("https://a.test/f\nftp://a.test/f", "l, line 2: ftp://a.test/f is not an http or https URL"),
      ("https://a.test/f ../x", "l, line 1: ../x cannot be a file's name"),
      ("https://a.test/f .x", "l, line 1: .x cannot be a file's name"),
      (
        "\na.test/f",
        "l, line 2: a.test/f is not an http or https URL; did you mean https://a.test/f?"
      ),
    ])
  func mistakes(text: String, reason: String) {
    #expect(throws: UsageError(reason: reason)) { try URLList.parse(text, source: "l") }
  }
}
