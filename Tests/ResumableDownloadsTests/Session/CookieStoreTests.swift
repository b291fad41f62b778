import Foundation
import FoundationNetworking
import Testing

@testable import ResumableDownloads

/// Which cookies are kept and where they go (RFC 6265).
@Suite(.timeLimit(.minutes(1)))
struct CookieStoreTests {
  private func store() throws -> CookieStore {
    try #require(CookieStore(URLSessionConfiguration.ephemeral))
  }

  @Test(
    "A cookie goes where it belongs and nowhere else",
    arguments: [
      ("a=1", "http://x.example.com/d/f", "http://x.example.com/d/f", true),
      ("a=1", "http://x.example.com/d/f", "http://y.example.com/d/f", false),
      ("a=1", "http://x.example.com/d/f", "http://example.com/d/f", false),
      ("a=1; Domain=example.com", "http://x.example.com/", "http://y.example.com/", true),
      ("a=1; Domain=.example.com", "http://x.example.com/", "http://example.com/", true),
      ("a=1; Domain=example.com", "http://x.example.com/", "http://badexample.com/", false),
      ("a=1; Domain=other.com", "http://x.example.com/", "http://other.com/", false),
      ("a=1; Domain=com", "http://x.example.com/", "http://other.com/", false),
      ("a=1; Domain=.com", "http://x.example.com/", "http://x.example.com/", false),
      ("a=1; Domain=0.0.1", "http://127.0.0.1/", "http://126.0.0.1/", false),
      ("a=1; Path=/d", "http://x.example.com/d/f", "http://x.example.com/d", true),
      ("a=1; Path=/d", "http://x.example.com/d/f", "http://x.example.com/d/e", true),
      ("a=1; Path=/d", "http://x.example.com/d/f", "http://x.example.com/de", false),
      ("a=1; Path=/d/", "http://x.example.com/d/f", "http://x.example.com/d/g", true),
      ("a=1; Secure", "https://x.example.com/", "https://x.example.com/", true),
      ("a=1; Secure", "https://x.example.com/", "http://x.example.com/", false),
      ("a=1; Secure", "http://x.example.com/", "https://x.example.com/", false),
      ("a=1; Max-Age=0", "http://x.example.com/", "http://x.example.com/", false),
      ("a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT", "http://x.example.com/", "http://x.example.com/", false),
    ])
  func scope(field: String, setBy: String, sentTo: String, isSent: Bool) throws {
    let store = try store()
    store.accept([field], from: setBy)
    #expect(store.field(for: sentTo) == (isSent ? "a=1" : nil))
  }

  @Test("The longer path comes first, and a cookie that ends is taken away")
  func order() throws {
    let store = try store()
    store.accept(["a=1; Path=/", "b=2; Path=/d", "c=3; Path=/"], from: "http://h.test/d/f")
    #expect(store.field(for: "http://h.test/d/f") == "b=2; a=1; c=3")
    store.accept(["a=; Path=/; Max-Age=0"], from: "http://h.test/")
    #expect(store.field(for: "http://h.test/d/f") == "b=2; c=3")
  }

  @Test(
    "What a server sends cannot trap",
    arguments: ["", ";", "=", ",,,", "a", "a=b; Domain=", "é=ü; =; ;", "a=b; Max-Age=x"])
  func hostile(field: String) throws {
    let store = try store()
    store.accept([field], from: "http://h.test/")
    _ = store.field(for: "http://h.test/")
    store.accept([field], from: "not an address")
    #expect(store.field(for: "") == nil)
  }

  @Test("A configuration without cookies has no store, and one that accepts none keeps none")
  func policy() throws {
    let none = URLSessionConfiguration.ephemeral
    none.httpShouldSetCookies = false
    #expect(CookieStore(none) == nil)
    let never = URLSessionConfiguration.ephemeral
    never.httpCookieAcceptPolicy = .never
    let store = try #require(CookieStore(never))
    store.accept(["a=1"], from: "http://h.test/")
    #expect(store.field(for: "http://h.test/") == nil)
  }
}
