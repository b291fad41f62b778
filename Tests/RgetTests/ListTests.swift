import Foundation
import Testing

@testable import rget

@Suite(.timeLimit(.minutes(1)))
struct ListTests {
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

  @Test(
    "Logins come from a netrc file",
    arguments: [
      ("machine a.test login u password p", "a.test", "u:p"),
      ("machine A.test\n\tlogin u\n\tpassword p", "a.test", "u:p"),
      ("machine b.test login v password q machine a.test login u password p", "A.TEST", "u:p"),
      ("machine b.test login v password q default login d password e", "a.test", "d:e"),
      ("# machine a.test login x password y\nmachine a.test login \"u\" account z password p", "a.test", "u:p"),
      ("macdef init\nmachine a.test login x password y\n\nmachine a.test login u password p", "a.test", "u:p"),
      ("machine a.test login u", "a.test", "u:"), ("machine b.test login v password q", "a.test", nil),
      ("machine a.test password p", "a.test", nil), ("machine", "a.test", nil), ("login x password", "a.test", nil),
      ("", "a.test", nil),
    ] as [(String, String, String?)])
  func netrc(text: String, host: String, expected: String?) {
    let login = Netrc(text).credentials(for: host)
    #expect(login.map { "\($0.user):\($0.password ?? "-")" } == expected)
  }

  @Test("What is shown holds no secrets")
  func masked() throws {
    let url = try #require(URL(string: "https://u:p@a.test/f?sig=abc#x"))
    #expect(Masked.url(url) == "https://a.test/f?…")
    #expect(Masked.field("AUTHORIZATION", "Basic abc") == "AUTHORIZATION: ***")
    #expect(Masked.field("Set-Cookie", "a=b") == "Set-Cookie: ***")
    #expect(Masked.field("Server", "x\u{1B}[2J") == "Server: x?[2J")
  }

  @Test("Basic logins are coded as RFC 7617 says")
  func basic() {
    let login = Options.Credentials(user: "Aladdin", password: "open sesame")
    #expect(login.authorization == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
  }
}
