import Testing

@testable import rget

@Suite(.timeLimit(.minutes(1)))
struct LoginTests {
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

  @Test("Basic logins are coded as RFC 7617 says")
  func basic() {
    let login = Options.Credentials(user: "Aladdin", password: "open sesame")
    #expect(login.authorization == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
  }
}
