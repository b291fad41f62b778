import Testing

@testable import ResumableDownloads

/// What a 401 offers (RFC 9110 section 11.6.1).
@Suite(.timeLimit(.minutes(1)))
struct AuthenticationOfferTests {
  @Test(
    "Offers are read from all shapes of the field",
    arguments: [
      ("Basic realm=\"a\"", ["basic a"]),
      ("basic REALM = a", ["basic a"]),
      ("Basic", ["basic "]),
      ("Basic realm=\"a, b\\\"c\", charset=\"UTF-8\"", ["basic a, b\"c"]),
      ("Negotiate, Basic realm=\"a\"", ["basic a"]),
      ("Negotiate abc==, Digest realm=\"d\", nonce=\"n\"", ["digest d"]),
      ("Digest realm=\"d\", nonce=\"n\", algorithm=SHA-256, Basic realm=\"b\"", ["digest d", "basic b"]),
      ("Digest realm=\"d\", nonce=\"n\", algorithm=unheard-of", []),
      ("Digest realm=\"d\"", []),
      (", ,", []), ("", []), ("\"", []), ("=", []), ("realm=\"a\"", []),
    ])
  func parse(field: String, expected: [String]) {
    #expect(AuthenticationOffer.parse(field).map { "\($0.scheme) \($0.realm)" } == expected)
  }

  @Test("The digest comes first, and only a 401 asks")
  func order() {
    let fields = [
      HeaderField(name: "WWW-Authenticate", value: "Basic realm=\"b\""),
      HeaderField(name: "www-authenticate", value: "Digest realm=\"d\", nonce=\"n\""),
    ]
    var head = ResponseHead(url: "http://h.test/", status: 401, version: "HTTP/1.1", reason: "", fields: fields)
    #expect(AuthenticationOffer.offers(in: head).map(\.scheme) == [.digest, .basic])
    head.status = 403
    #expect(AuthenticationOffer.offers(in: head).isEmpty)
  }
}
