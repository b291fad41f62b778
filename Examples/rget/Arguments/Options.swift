/// What a download, or a list of them, is to be like.
struct Options: Equatable, Sendable {
  /// A field that is sent with every request.
  struct Header: Equatable, Sendable {
    var name: String
    var value: String
  }

  /// A user, and a password unless it is to be asked for.
  struct Credentials: Equatable, Sendable {
    var user: String
    var password: String?
  }

  var urls: [String] = []
  var output: String?
  var directory: String?
  var lists: [String] = []
  var atOnce = 4
  var headers: [Header] = []
  var credentials: Credentials?
  var usesNetrc = false
  var proxy: ProxySetting?
  var trustAnchors: String?
  var certificate: String?
  var key: String?
  var bytesPerSecond: Int64 = 0
  var retries = 5
  /// Seconds without a byte; nil leaves it at the library's default.
  var timeoutSeconds: Double?
  var isFresh = false
  var overwrites = false
  var checksum: Checksum?
  var checksumFile: String?
  var keepsRemoteTime = true
  var isQuiet = false
  var isVerbose = false
  var isJSON = false

  /// What only all options together can show.
  func check() throws(UsageError) {
    guard !urls.isEmpty || !lists.isEmpty else { throw UsageError(reason: "a URL is missing") }
    if output != nil, directory != nil { throw UsageError(reason: "only one of -o and -d can be given") }
    let isOne = urls.count == 1 && lists.isEmpty
    if output != nil, !isOne { throw UsageError(reason: "-o is for one URL; use -d, or names in a list with -i") }
    if checksum != nil, !isOne {
      throw UsageError(reason: "--checksum is for one URL; use --checksum-file for several")
    }
    if checksum != nil, checksumFile != nil {
      throw UsageError(reason: "only one of --checksum and --checksum-file can be given")
    }
    if isQuiet, isVerbose { throw UsageError(reason: "only one of -q and -v can be given") }
    if key != nil, certificate == nil { throw UsageError(reason: "--key needs --cert") }
    if usesNetrc, credentials != nil { throw UsageError(reason: "only one of -u and --netrc can be given") }
  }
}
