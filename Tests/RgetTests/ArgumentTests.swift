import Testing

@testable import rget

@Suite(.timeLimit(.minutes(1)))
struct ArgumentTests {
  private static let url = "https://a.test/f"

  private func options(_ arguments: [String]) throws -> Options {
    guard case .get(let options) = try Arguments.parse(arguments) else {
      Issue.record("not a download: \(arguments)")
      return Options()
    }
    return options
  }

  private static func with(_ change: (inout Options) -> Void) -> Options {
    var options = Options(urls: [url])
    change(&options)
    return options
  }

  private static let digits = String(repeating: "ab", count: 32)

  @Test(
    "Every option means what it says, in every spelling",
    arguments: [
      ([url], with { _ in }),
      ([url, "-o", "x"], with { $0.output = "x" }), (["-ox", url], with { $0.output = "x" }),
      (["--output=x", url], with { $0.output = "x" }), (["--output", "x", url], with { $0.output = "x" }),
      (["-o", "-", url], with { $0.output = "-" }), (["--output==x", url], with { $0.output = "=x" }),
      (["-d", "dir", url], with { $0.directory = "dir" }), (["-i", "-", url], with { $0.lists = ["-"] }),
      (["-i", "a", "--input=b", url], with { $0.lists = ["a", "b"] }),
      (["-j8", url], with { $0.atOnce = 8 }), (["--jobs", "1", url], with { $0.atOnce = 1 }),
      (
        ["-H", "X-A: b: c", "--header=Y:", url],
        with { $0.headers = [.init(name: "X-A", value: "b: c"), .init(name: "Y", value: "")] }
      ),
      (["-u", "a:b:c", url], with { $0.credentials = .init(user: "a", password: "b:c") }),
      (["-u", "a", url], with { $0.credentials = .init(user: "a", password: nil) }),
      (["-ua:", url], with { $0.credentials = .init(user: "a", password: "") }),
      (["--netrc", url], with { $0.usesNetrc = true }), (["--netrc", "--no-netrc", url], with { _ in }),
      (["--proxy", "none", url], with { $0.proxy = ProxySetting.none }),
      (["--proxy=p.test:8080", url], with { $0.proxy = .http(host: "p.test", port: 8080, login: nil) }),
      (
        ["--proxy", "http://u:p%40@p.test/", url],
        with { $0.proxy = .http(host: "p.test", port: 80, login: .init(user: "u", password: "p@")) }
      ),
      (["--proxy", "socks5h://[::1]", url], with { $0.proxy = .socks(host: "[::1]", port: 1080, login: nil) }),
      (["--cacert", "a", url], with { $0.trustAnchors = "a" }),
      (["--cert=c", "--key=k", url], with { ($0.certificate, $0.key) = ("c", "k") }),
      (["--limit-rate", "500", url], with { $0.bytesPerSecond = 500 }),
      (["--limit-rate=1.5m", url], with { $0.bytesPerSecond = 1_572_864 }),
      (["--limit-rate", "2K", url], with { $0.bytesPerSecond = 2048 }),
      (["--retry", "0", url], with { $0.retries = 0 }), (["--timeout=2.5", url], with { $0.timeoutSeconds = 2.5 }),
      (["--fresh", "--overwrite", url], with { ($0.isFresh, $0.overwrites) = (true, true) }),
      (["--no-remote-time", url], with { $0.keepsRemoteTime = false }),
      (["--no-remote-time", "--remote-time", url], with { _ in }),
      (["--checksum-file", "S", url], with { $0.checksumFile = "S" }),
      (["-q", url], with { $0.isQuiet = true }), (["-v", url], with { $0.isVerbose = true }),
      (["--json", url], with { $0.isJSON = true }), (["-q", "--no-quiet", "-v", url], with { $0.isVerbose = true }),
      (["-qj2", url], with { ($0.isQuiet, $0.atOnce) = (true, 2) }),
      (["-vo", "x", url], with { ($0.isVerbose, $0.output) = (true, "x") }),
      (["--", url], with { _ in }), (["-q", "--", url, "-v"], with { ($0.isQuiet, $0.urls) = (true, [url, "-v"]) }),
      ([url, "list"], with { $0.urls = [url, "list"] }),
    ] as [([String], Options)])
  func parsed(arguments: [String], expected: Options) throws {
    #expect(try options(arguments) == expected)
  }

  @Test("A checksum is read in both lengths and cases")
  func checksum() throws {
    let value = try #require(Digest.bytes(hexadecimal: Self.digits))
    for name in ["sha256", "SHA256", "sha-256"] {
      let parsed = try options(["--checksum", "\(name):\(Self.digits.uppercased())", Self.url]).checksum
      #expect(parsed == Checksum(.sha256, value))
    }
    let long = try options(["--checksum=sha512:" + Self.digits + Self.digits, Self.url]).checksum
    #expect(long?.digest == .sha512)
  }

  @Test(
    "What makes no sense is said in one sentence",
    arguments: [
      ([], "a URL is missing"), (["-q"], "a URL is missing"), (["-o"], "-o needs a value: FILE"),
      (["--retry"], "--retry needs a value: N"), (["-o", "", url], "an empty FILE makes no sense"),
      (["--quiet=1", url], "--quiet takes no value"), (["--help=x"], "--help takes no value"),
      (["-x", url], "unknown option -x"), (["-qx", url], "unknown option -x"),
      (["--retyr=3", url], "unknown option --retyr; did you mean --retry?"),
      (["--check", url], "unknown option --check; did you mean --checksum?"),
      (["--no-remote-tim", url], "unknown option --no-remote-tim; did you mean --no-remote-time?"),
      (["--no-output", url], "unknown option --no-output; did you mean --output?"),
      (["-json", url], "-j needs a number from 1 to 100, not son"),
      (["-verbos", url], "unknown option -verbos; did you mean --verbose?"),
      (["--zzzzzzz", url], "unknown option --zzzzzzz"),
      (["-j", "0", url], "-j needs a number from 1 to 100, not 0"),
      (["-j", "many", url], "-j needs a number from 1 to 100, not many"),
      (["--retry", "-1", url], "--retry needs a number from 0 to 1000, not -1"),
      (["--timeout", "0", url], "--timeout needs seconds from 0.1 to 86400, not 0"),
      (["--timeout", "nan", url], "--timeout needs seconds from 0.1 to 86400, not nan"),
      (["-H", "x", url], "-H needs 'NAME: VALUE', not x"),
      (["-H", "a b: c", url], "-H got a field that HTTP does not allow"),
      (["-H", "a: b\r\nc: d", url], "-H got a field that HTTP does not allow"),
      (["-H", ": b", url], "-H got a field that HTTP does not allow"),
      (["--proxy", "", url], "--proxy needs HOST:PORT, not "),
      (["--proxy", "a b", url], "--proxy needs HOST:PORT, not a b"),
      (["--proxy", "ftp://p.test", url], "--proxy knows http:// and socks5h://, not ftp://p.test"),
      (["--proxy", "http://p.test/x", url], "--proxy needs HOST:PORT, not http://p.test/x"),
      (["--key", "k", url], "--key needs --cert"),
      (["--limit-rate", "K", url], "--limit-rate needs bytes a second, as in 500K or 1.5M, not K"),
      (["--limit-rate", "0", url], "--limit-rate needs bytes a second, as in 500K or 1.5M, not 0"),
      (["--limit-rate", "-5", url], "--limit-rate needs bytes a second, as in 500K or 1.5M, not -5"),
      (["--limit-rate", "1e9", url], "--limit-rate needs bytes a second, as in 500K or 1.5M, not 1e9"),
      (["-u", ":b", url], "-u needs USER or USER:PASSWORD"), (["-u", "a\n:b", url], "-u needs USER or USER:PASSWORD"),
      (["-o", "x", "-d", "y", url], "only one of -o and -d can be given"),
      (["-o", "x", url, url], "-o is for one URL; use -d, or names in a list with -i"),
      (["-o", "x", "-i", "l"], "-o is for one URL; use -d, or names in a list with -i"),
      (["-q", "-v", url], "only one of -q and -v can be given"),
      (["--netrc", "-u", "a:b", url], "only one of -u and --netrc can be given"),
      (["--checksum", "md5:00", url], "--checksum needs sha256:HEX or sha512:HEX"),
      (["--checksum", "sha256:00", url], "a sha256 has 64 hexadecimal digits"),
      (["--checksum", "sha256:" + digits, url, url], "--checksum is for one URL; use --checksum-file for several"),
      (
        ["--checksum", "sha256:" + digits, "--checksum-file", "S", url],
        "only one of --checksum and --checksum-file can be given"
      ),
      (["--completions", "tcsh"], "--completions knows bash, zsh and fish, not tcsh"),
      (["inspect"], "rget inspect needs a file"), (["list", "a", "b"], "rget list got too many arguments"),
      (["list", "--all"], "rget list has no option --all"), (["demo", "more"], "rget demo got too many arguments"),
    ] as [([String], String)])
  func refused(arguments: [String], reason: String) {
    #expect(throws: UsageError(reason: reason)) { try Arguments.parse(arguments) }
  }

  @Test(
    "Some arguments ask for something else",
    arguments: [
      (["-h"], .help), ([url, "--help"], .help), (["-qh"], .help), (["list", "--help"], .help),
      (["--version"], .version),
      (["--completions", "fish"], .completions(.fish)), (["--completions=zsh"], .completions(.zsh)),
      (["demo"], .demo), (["list"], .list(directory: ".")), (["list", "d"], .list(directory: "d")),
      (["clean", "--", "-d"], .clean(directory: "-d")), (["inspect", "f"], .inspect(file: "f")),
      (["demo-continue", "b", "d"], .demoContinue(blob: "b", directory: "d")),
    ] as [([String], Arguments)])
  func others(arguments: [String], expected: Arguments) throws {
    #expect(try Arguments.parse(arguments) == expected)
  }

  @Test("Letters inserted, left out, replaced and swapped count one each")
  func distance() {
    #expect(Suggestion.distance(from: "retry", to: "retry") == 0)
    #expect(Suggestion.distance(from: "rety", to: "retry") == 1)
    #expect(Suggestion.distance(from: "rettry", to: "retry") == 1)
    #expect(Suggestion.distance(from: "ratry", to: "retry") == 1)
    #expect(Suggestion.distance(from: "rerty", to: "retry") == 1)
    #expect(Suggestion.distance(from: "", to: "abc") == 3)
    #expect(Suggestion.distance(from: "abc", to: "") == 3)
  }
}
