import Foundation
import FoundationNetworking
import ResumableDownloads

/// What the downloads of one run share.
final class RunContext: Sendable {
  let options: Options
  let plan: Plan
  let session: DownloadSession
  let console: Console
  let stop = Stop()
  let names: NameBook
  private let checksums: ChecksumList?
  private let netrc: Netrc?

  /// Reads what the options name.
  init(_ options: Options) throws(UsageError) {
    self.options = options
    let plan = try Plan.make(options)
    self.plan = plan
    checksums = try options.checksumFile.map { name throws(UsageError) in
      try ChecksumList(try InputFile.text(name), source: name)
    }
    netrc = try options.usesNetrc ? Netrc(InputFile.text(Netrc.path(ProcessInfo.processInfo.environment))) : nil
    session = DownloadSession(configuration: try Self.configuration(options), delegate: nil, delegateQueue: nil)
    console = Console(
      count: plan.entries.count,
      style: Console.Style(
        isTerminal: Output.isTerminal, isColoured: Output.isColoured, isQuiet: options.isQuiet,
        isVerbose: options.isVerbose, isJSON: options.isJSON))
    names = NameBook(plan.entries)
  }

  /// What the options mean for all requests.
  static func configuration(_ options: Options) throws(UsageError) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.default
    configuration.httpAdditionalHeaders = ["User-Agent": "rget/\(Command.version)"]
    configuration.httpMaximumConnectionsPerHost = max(configuration.httpMaximumConnectionsPerHost, options.atOnce)
    if let seconds = options.timeoutSeconds { configuration.timeoutIntervalForRequest = seconds }
    if options.retries > 0 { configuration.retryPolicy = RetryPolicy(maximumAttempts: options.retries) }
    // The next run brings its own.
    configuration.resumeDataHeaderPolicy = .withoutCredentials
    configuration.bytesPerSecondLimit = options.bytesPerSecond
    configuration.connectionProxyDictionary = options.proxy?.dictionary
    configuration.trustAnchorsFile = try options.trustAnchors.map(readable)
    if let certificate = options.certificate {
      configuration.clientCertificate = ClientCertificate(
        certificateFile: try readable(certificate), keyFile: try readable(options.key ?? certificate))
    }
    return configuration
  }

  /// A mistake in a name is found before anything is asked.
  private static func readable(_ path: String) throws(UsageError) -> URL {
    guard FileManager.default.isReadableFile(atPath: path) else { throw UsageError(reason: "cannot read \(path)") }
    return URL(fileURLWithPath: path)
  }

  /// The request for a file with the fields and the login that the options give.
  func request(_ url: URL, method: String = "GET") -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = method
    let login = options.credentials ?? url.host.flatMap { netrc?.credentials(for: $0) }
    if let login { request.setValue(login.authorization, forHTTPHeaderField: "Authorization") }
    for header in options.headers {
      let isOurs = header.name.lowercased() == "authorization"
      if isOurs {
        request.setValue(header.value, forHTTPHeaderField: header.name)
      } else {
        request.addValue(header.value, forHTTPHeaderField: header.name)
      }
    }
    return request
  }

  /// What the user says that a file must have; nil if nothing.
  ///
  /// - Throws: `Failure` if there is a list and the file is not in it.
  func checksum(for name: String) throws(Failure) -> Checksum? {
    if let checksum = options.checksum { return checksum }
    guard let checksums, let source = options.checksumFile else { return nil }
    guard let checksum = checksums.checksums[name] else {
      throw Failure(.checksum, "\(source) has no line for \(name)", advice: "Nothing was kept.")
    }
    return checksum
  }
}
