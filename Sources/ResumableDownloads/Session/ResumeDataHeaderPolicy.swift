/// Which header fields of a request go into its resume data; see `URLSessionConfiguration.resumeDataHeaderPolicy`.
///
/// Resume data and journals are readable by their owner only (mode 0600). Passwords that were given to an
/// authentication challenge and cookies of the session's storage are never in them.
public enum ResumeDataHeaderPolicy: Sendable, Equatable {
  /// All fields, so that the resumed request is like the first.
  case all
  /// All but `Authorization`, `Proxy-Authorization` and `Cookie`.
  case withoutCredentials
  /// All but those with these names, in any spelling, and the credentials.
  case without(Set<String>)

  private static let credentials: Set<String> = ["authorization", "proxy-authorization", "cookie"]

  /// In lower case.
  var omittedNames: Set<String> {
    switch self {
    case .all: []
    case .withoutCredentials: Self.credentials
    case .without(let names): Self.credentials.union(names.map { $0.lowercased() })
    }
  }
}
