import Foundation
import FoundationNetworking
import Testing

@testable import rget

@Suite(.timeLimit(.minutes(1)))
struct PlanTests {
  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  @Test(
    "The name comes from the URL, if it can safely be one",
    arguments: [
      ("https://a.test/d/f.iso?x=1#y", "f.iso"), ("https://a.test/a%20b", "a b"), ("https://a.test/%E4%B8%AD", "中"),
      ("https://a.test/", nil), ("https://a.test", nil), ("https://a.test/.hidden", nil), ("https://a.test/-rf", nil),
      ("https://a.test/a%2Fb", nil), ("https://a.test/%2e%2e", nil), ("https://a.test/a%0Ab", nil),
      ("https://a.test/a%E2%80%AEb", nil), ("https://a.test/%FF", nil), ("https://a.test/d/", nil),
      ("https://a.test/" + String(repeating: "x", count: 181), nil),
    ] as [(String, String?)])
  func name(text: String, expected: String?) throws {
    #expect(FileName.from(try url(text)) == expected)
  }

  @Test(
    "An answer's Content-Disposition comes first, then the URL asked for",
    arguments: [
      ("https://a.test/get", ["Content-Disposition": "attachment; filename=\"r.pdf\""], "r.pdf"),
      ("https://a.test/get", ["Content-Disposition": "inline"], "get"), ("https://a.test/get", [:], "get"),
      ("https://a.test/", [:], "download"),
    ] as [(String, [String: String], String)])
  func suggestion(text: String, fields: [String: String], expected: String) throws {
    let answered = try url(text)
    let response = NamedResponse(answered, fields, fields.values.contains { $0.contains("filename") } ? expected : nil)
    #expect(FileName.suggested(asked: answered, response: response) == expected)
  }

  @Test("A redirect names the file only if the URL asked for does not")
  func redirected() throws {
    let response = NamedResponse(try url("https://b.test/image-1.2.iso"), [:], "image-1.2.iso")
    #expect(FileName.suggested(asked: try url("https://a.test/latest"), response: response) == "latest")
    #expect(FileName.suggested(asked: try url("https://a.test/"), response: response) == "image-1.2.iso")
  }

  @Test("Two URLs with one name get two files, always the same two, and it is said")
  func collision() throws {
    let lines = try ["https://a.test/f.txt", "https://b.test/f.txt?k=s", "https://c.test/f", "https://d.test/f"].map {
      URLList.Line(url: try url($0))
    }
    let plan = try Plan(urls: lines)
    #expect(plan.entries.map(\.path) == ["f.txt", "f (2).txt", "f", "f (2)"])
    #expect(plan.entries.map(\.isNameFixed) == [false, false, false, false])
    #expect(
      plan.notes == [
        "https://b.test/f.txt?… becomes f (2).txt unless the server names it, because f.txt is taken in this list",
        "https://d.test/f becomes f (2) unless the server names it, because f is taken in this list",
      ])
    #expect(try Plan(urls: lines) == plan)
    #expect(Set(plan.entries.map(\.stagedPath)).count == 4)
  }

  @Test("The same URL twice is one download; two URLs with one given name are a mistake")
  func doubles() throws {
    let same = URLList.Line(url: try url("https://a.test/f"))
    #expect(try Plan(urls: [same, same]).entries.count == 1)
    let other = URLList.Line(url: try url("https://b.test/g"), name: "n")
    #expect(throws: UsageError(reason: "two URLs have the name n")) {
      try Plan(urls: [other, URLList.Line(url: try url("https://c.test/h"), name: "n")])
    }
  }

  @Test(
    "Places",
    arguments: [
      (nil, nil, "f.iso"), (nil, "d", "d/f.iso"), (nil, "d/", "d/f.iso"), ("x", nil, "x"), ("d/x", nil, "d/x"),
      ("/x", nil, "/x"), ("./x", nil, "x"),
    ] as [(String?, String?, String)])
  func places(output: String?, directory: String?, expected: String) throws {
    let line = URLList.Line(url: try url("https://a.test/f.iso"))
    #expect(try Plan(urls: [line], output: output, directory: directory).entries[0].path == expected)
  }

  @Test("A folder is no file, nor is standard output", arguments: ["d/", "/", "..", "d/.", "-"])
  func folder(output: String) throws {
    let line = URLList.Line(url: try url("https://a.test/f.iso"))
    #expect(throws: UsageError.self) { try Plan(urls: [line], output: output) }
  }

  @Test("The hidden name gives the final one back")
  func staged() throws {
    let place = try url("https://a.test/f.iso")
    let name = StagedName.make(name: "f.1.iso", url: place)
    #expect(name.hasPrefix(".f.1.iso.") && name.hasSuffix(".rget"))
    #expect(StagedName.finalName(of: name) == "f.1.iso")
    #expect(StagedName.make(name: "f.1.iso", url: try url("https://b.test/f.iso")) != name)
    for other in ["f.iso", ".f.iso.rget", ".f.0123456789ag.rget", ".0123456789ab.rget", "x.f.0123456789ab.rget", ""] {
      #expect(StagedName.finalName(of: other) == nil, "\(other)")
    }
  }
}

/// A response with a name of its own, as the library's have.
private final class NamedResponse: HTTPURLResponse, @unchecked Sendable {
  // Immutable after init.
  private let name: String?

  init?(_ url: URL, _ fields: [String: String], _ name: String?) {
    self.name = name
    super.init(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
  }

  required init?(coder: NSCoder) { nil }

  override var suggestedFilename: String? { name }
}
