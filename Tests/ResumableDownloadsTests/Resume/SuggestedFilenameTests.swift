import Foundation
import TestSupport
import Testing

@testable import ResumableDownloads

@Suite("Suggested file names", .timeLimit(.minutes(1)))
struct SuggestedFilenameTests {
  @Test(
    "Content-Disposition is read as RFC 6266 says, with tolerance",
    arguments: [
      ("attachment; filename=a.txt", "a.txt"), ("attachment; filename=\"a b;c.txt\"", "a b;c.txt"),
      ("ATTACHMENT; FILENAME = \"a.txt\"", "a.txt"), ("inline; filename=\"say \\\"hi\\\".txt\"", "say \"hi\".txt"),
      ("filename=a.txt", "a.txt"), ("attachment;;filename=a.txt;", "a.txt"),
      ("attachment; filename=\"unclosed.txt", "unclosed.txt"), ("attachment; filename=a.txt; filename=b.txt", "a.txt"),
      ("attachment; filename=x; filename*=UTF-8''na%C3%AFve.txt", "naïve.txt"),
      ("attachment; filename*=utf-8'en'%e2%82%ac.txt; filename=x", "€.txt"),
      ("attachment; filename*=ISO-8859-1''%A3.txt", "£.txt"), ("attachment; filename*=\"UTF-8''a%20b\"", "a b"),
      ("attachment; filename=\"it's\"; filename*=koi8-r''x", "it's"),
      ("attachment; filename=x; filename*=UTF-8''%F", "x"),
      ("attachment; filename=x; filename*=UTF-8''%FF", "x"), ("attachment; filename=x; filename*=nothing", "x"),
      ("attachment; filename=\"a%20b.txt\"", "a%20b.txt"), ("attachment; filename=\"C:\\dir\\file.txt\"", "file.txt"),
      ("attachment", "url.bin"), ("", "url.bin"), ("attachment; filename=", "url.bin"),
      ("attachment; filename=\"\"", "url.bin"), ("attachment; name=\"filename=evil\"", "url.bin"),
    ])
  func contentDisposition(field: String, expected: String) {
    #expect(SuggestedFilename.make(contentDisposition: field, urlString: "https://h/d/url.bin?q=1") == expected)
  }

  @Test(
    "Without a field the name is the last component of the path",
    arguments: [
      ("https://h/a/b.iso", "b.iso"), ("https://h/b.iso?sig=/etc/passwd#x/y", "b.iso"), ("https://h/dir/", "dir"),
      ("https://h/", "download"), ("https://h", "download"), ("https://h?x=/y", "download"), ("", "download"),
      ("https://h/a%20b%2Btxt", "a b+txt"), ("https://h/a%2Fb", "b"), ("https://h/%2e%2e%2fpasswd", "passwd"),
      ("https://h/x%252Fy", "x%2Fy"), ("https://h/%FF%FE", "%FF%FE"), ("https://h/50%", "50%"),
      ("https://h/a:b", "a:b"), ("https://h/%2E%2E", "download"), ("https://h/x%00.txt", "x.txt"),
    ])
  func urlPath(url: String, expected: String) {
    #expect(SuggestedFilename.make(contentDisposition: nil, urlString: url) == expected)
  }

  @Test(
    "A name cannot leave its folder, hide, or disguise itself",
    arguments: [
      ("../../x", "x"), ("/etc/x", "x"), ("a/../../b", "b"), ("..\\..\\x", "x"), ("a/", "a"), ("a/..", nil),
      ("..", nil), (".", nil), ("", nil), ("...", nil), (" . ", nil), ("/", nil), ("\u{0}", nil), (".\u{0}.", nil),
      (".bashrc", "_bashrc"), ("..bashrc", "_bashrc"), (" .bashrc", "_bashrc"), ("\u{200B}.bashrc", "_bashrc"),
      ("x\u{0}.txt", "x.txt"), ("a\r\nb", "ab"), ("\u{1B}[31mred", "[31mred"), ("  a b  ", "a b"),
      ("photo\u{202E}gpj.exe", "photogpj.exe"), ("\u{2066}a\u{2069}", "a"), ("/\u{301}etc", "\u{301}etc"),
      ("👨‍👩‍👧.png", "👨‍👩‍👧.png"), ("a\u{85}\u{2028}b", "ab"),
    ] as [(String, String?)])
  func safeComponent(text: String, expected: String?) {
    #expect(SuggestedFilename.safeComponent(text) == expected)
  }

  @Test("A long name is cut between characters and keeps its ending")
  func longNames() {
    let limit = SuggestedFilename.maximumByteCount
    let plain = SuggestedFilename.safeComponent(String(repeating: "x", count: 2000) + ".tar.gz")
    #expect(plain == String(repeating: "x", count: limit - 3) + ".gz")
    let wide = SuggestedFilename.safeComponent(String(repeating: "語", count: 400) + ".pdf")
    #expect(wide == String(repeating: "語", count: (limit - 4) / 3) + ".pdf")
    let family = SuggestedFilename.safeComponent(String(repeating: "👨‍👩‍👧", count: 100))
    #expect(family == String(repeating: "👨‍👩‍👧", count: limit / 18))
    let exact = String(repeating: "x", count: limit)
    #expect(SuggestedFilename.safeComponent(exact) == exact)
    let endless = SuggestedFilename.safeComponent("e" + String(repeating: "\u{301}", count: 500))
    #expect(endless?.utf8.count == limit)
    let longEnding = SuggestedFilename.safeComponent("a." + String(repeating: "x", count: 300))
    #expect(longEnding?.utf8.count == limit)
  }

  @Test("Twenty thousand damaged fields give safe names")
  func hostileFields() {
    var generator = SeededGenerator(seed: 2)
    let seeds = [
      "attachment; filename=\"../a b\\\"c.txt\"; filename*=UTF-8''%2e%2e%2fna%C3%AFve.txt",
      "attachment; filename*=iso-8859-1'en'%00%0A..%5C.x",
    ]
    for round in 0..<20_000 {
      let field = String(decoding: generator.mutation(of: Array(seeds[round % 2].utf8)), as: UTF8.self)
      let name = SuggestedFilename.make(contentDisposition: field, urlString: "https://h/" + field)
      #expect(!name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= SuggestedFilename.maximumByteCount)
      #expect(!name.utf8.contains { $0 < 0x20 || $0 == 0x2F || $0 == 0x5C || $0 == 0x7F })
    }
  }
}
