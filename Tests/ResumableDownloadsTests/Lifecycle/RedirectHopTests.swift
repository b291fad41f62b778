import Foundation
import Testing

@testable import ResumableDownloads

@Suite(.timeLimit(.minutes(1)))
struct RedirectHopTests {
  private let secretFields = ["Authorization", "Cookie", "Proxy-Authorization", "X-Token"].map {
    HeaderField(name: $0, value: "s")
  }

  private func names(after location: String) -> [String]? {
    RedirectHop(url: "http://a.test/f", method: "GET", fields: secretFields)
      .following(location: location, status: 302)?.fields.map(\.name)
  }

  @Test("Secrets stay within their origin")
  func secrets() {
    #expect(names(after: "/other")?.count == 4)
    #expect(names(after: "http://a.test:80/other")?.count == 4)
    for other in ["http://b.test/f", "https://a.test/f", "http://a.test:8080/f", "//b.test/f"] {
      #expect(names(after: other) == ["X-Token"], "\(other)")
    }
  }

  @Test(
    "Targets go through byte for byte",
    arguments: [
      ("/b%2Fc%20d?sig=a%2Bb%252Fc%3D&q=[x", "http://a.test/b%2Fc%20d?sig=a%2Bb%252Fc%3D&q=[x"),
      ("http://b.test/x%2Fy?s=a+b", "http://b.test/x%2Fy?s=a+b"), ("g?y=1", "http://a.test/d/g?y=1"),
      ("//b.test/z", "http://b.test/z"), ("/\u{e9} x", "http://a.test/%C3%A9%20x"), ("?only", "http://a.test/d/f?only"),
    ])
  func targets(location: String, expected: String) {
    let hop = RedirectHop(url: "http://a.test/d/f?old=1", method: "GET", fields: [])
    #expect(hop.following(location: location, status: 307)?.url == expected)
  }

  @Test(
    "Other schemes are not followed", arguments: ["ftp://a.test/f", "file:///etc/passwd", "javascript:1", "http://"])
  func refused(location: String) {
    let hop = RedirectHop(url: "http://a.test/f", method: "GET", fields: [])
    #expect(hop.following(location: location, status: 302) == nil)
  }

  @Test(
    "303 turns everything into GET, 301 and 302 only POST, 307 and 308 nothing", arguments: [301, 302, 303, 307, 308])
  func methods(status: Int) {
    let hop = RedirectHop(
      url: "http://a.test/f", method: "POST", fields: [HeaderField(name: "Content-Type", value: "x")], body: Data([1]))
    let next = hop.following(location: "/g", status: status)
    let keeps = status == 307 || status == 308
    #expect(next?.method == (keeps ? "POST" : "GET"))
    #expect((next?.body != nil) == keeps)
    #expect(next?.fields.isEmpty == !keeps)
  }

  @Test("Every request asks for plain bytes unless the caller chose a coding")
  func identity() {
    let plain = RedirectHop(url: "http://a.test/f", method: "GET", fields: [])
    #expect(plain.requestFields(nil) == [HeaderField(name: "Accept-Encoding", value: "identity")])
    let chosen = HeaderField(name: "accept-encoding", value: "gzip")
    #expect(RedirectHop(url: "http://a.test/f", method: "GET", fields: [chosen]).requestFields(nil) == [chosen])
  }
}
