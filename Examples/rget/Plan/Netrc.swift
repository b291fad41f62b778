import Foundation

/// The logins of a netrc file (the format of ftp(1): `machine HOST login USER password WORD`, and `default`).
struct Netrc: Equatable, Sendable {
  struct Login: Equatable, Sendable {
    /// Nil for `default`.
    var machine: String?
    var user: String?
    var password: String?
  }

  private(set) var logins: [Login] = []

  init(_ text: String) {
    var isMacro = false
    var words: [Substring] = []
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      // A macro goes on to the next empty line.
      if isMacro {
        isMacro = !line.allSatisfy(\.isWhitespace)
        continue
      }
      let own = line.split(whereSeparator: \.isWhitespace)
      if own.first?.hasPrefix("#") == true { continue }
      isMacro = own.first == "macdef"
      if !isMacro { words += own }
    }
    read(words[...])
  }

  private mutating func read(_ words: ArraySlice<Substring>) {
    var words = words
    while let word = words.popFirst() {
      switch word {
      case "machine": logins.append(Login(machine: words.popFirst().map { $0.lowercased() } ?? ""))
      case "default": logins.append(Login())
      case "login" where !logins.isEmpty: logins[logins.count - 1].user = words.popFirst().map(Self.unquoted)
      case "password" where !logins.isEmpty: logins[logins.count - 1].password = words.popFirst().map(Self.unquoted)
      case "account": _ = words.popFirst()
      default: break
      }
    }
  }

  /// The login for a host, the default one if there is none of its own.
  func credentials(for host: String) -> Options.Credentials? {
    let login = logins.first { $0.machine == host.lowercased() } ?? logins.first { $0.machine == nil }
    guard let login, let user = login.user else { return nil }
    return Options.Credentials(user: user, password: login.password ?? "")
  }

  /// What the `NETRC` variable names, else the file in the home folder.
  static func path(_ environment: [String: String]) -> String {
    environment["NETRC"] ?? "\(environment["HOME"] ?? NSHomeDirectory())/.netrc"
  }

  private static func unquoted(_ word: Substring) -> String {
    word.count >= 2 && word.hasPrefix("\"") && word.hasSuffix("\"") ? String(word.dropFirst().dropLast()) : String(word)
  }
}
