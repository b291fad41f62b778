internal import Foundation
internal import FoundationNetworking

/// Makes jobs of requests and resume data with what the session's configuration adds.
struct JobFactory: Sendable {
  /// The value that a `URLRequest` has unless it was set.
  private static let defaultTimeout: TimeInterval = 60

  private let fields: [HeaderField]
  private let requestTimeout: TimeInterval
  private let resourceTimeout: TimeInterval
  private let options: TransferOptions
  private let retryPolicy: RetryPolicy?
  private let waitsForConnectivity: Bool
  private let unrecordedFields: Set<String>

  init(configuration: URLSessionConfiguration, settings: SessionSettings) {
    retryPolicy = settings.retryPolicy
    unrecordedFields = settings.resumeDataHeaderPolicy.omittedNames
    fields = (configuration.httpAdditionalHeaders ?? [:]).map { name, value in
      HeaderField(name: "\(name)", value: "\(value)")
    }.sorted { $0.name < $1.name }
    requestTimeout = configuration.timeoutIntervalForRequest
    resourceTimeout = configuration.timeoutIntervalForResource
    options = TransferOptions(configuration, settings: settings)
    waitsForConnectivity = settings.waitsForConnectivity
  }

  func job(for request: URLRequest) -> DownloadJob {
    let url = request.url?.absoluteString ?? ""
    var job = DownloadJob(
      source: refusal(of: request.url).map { .refused($0) } ?? .request, url: url,
      inactivityTimeout: timeout(of: request), totalTimeout: resourceTimeout, options: options)
    job.retryPolicy = retryPolicy
    job.waitsForConnectivity = waitsForConnectivity
    job.unrecordedFields = unrecordedFields
    job.method = request.httpMethod ?? "GET"
    job.fields = merged(request.allHTTPHeaderFields ?? [:])
    job.body = request.httpBody ?? request.httpBodyStream.map(Self.contents)
    return job
  }

  func job(resuming data: Data) -> (DownloadJob, URLRequest?) {
    do {
      let record = try ResumeData(data)
      var request = URLRequest(url: record.url)
      request.httpMethod = record.method
      request.allHTTPHeaderFields = record.headers
      var job = job(for: request)
      job.source = .resume(record, original: data)
      job.url = record.urlString
      return (job, request)
    } catch {
      let job = DownloadJob(
        source: .unreadable(error), url: "", inactivityTimeout: requestTimeout, totalTimeout: resourceTimeout)
      return (job, nil)
    }
  }

  /// The body that a stream holds: it has to be there again for a redirect, so it is read once.
  private static func contents(of stream: InputStream) -> Data {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    stream.open()
    defer { stream.close() }
    while true {
      let count = stream.read(&buffer, maxLength: buffer.count)
      guard count > 0 else { return data }
      data.append(contentsOf: buffer[..<count])
    }
  }

  private func refusal(of url: URL?) -> DownloadFailure.Reason? {
    guard let url, let scheme = url.scheme?.lowercased() else { return .malformedURL }
    guard scheme == "http" || scheme == "https" else { return .unsupportedScheme }
    return url.host?.isEmpty == false ? nil : .malformedURL
  }

  /// The request's own timeout counts unless the session's is stricter (Apple: `timeoutIntervalForRequest`).
  private func timeout(of request: URLRequest) -> TimeInterval {
    guard request.timeoutInterval != Self.defaultTimeout, request.timeoutInterval > 0 else { return requestTimeout }
    return requestTimeout > 0 ? min(request.timeoutInterval, requestTimeout) : request.timeoutInterval
  }

  /// Configuration headers are added where the request has none of that name.
  private func merged(_ own: [String: String]) -> [HeaderField] {
    let mine = own.map { HeaderField(name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
    let names = Set(mine.map { $0.name.lowercased() })
    return mine + fields.filter { !names.contains($0.name.lowercased()) }
  }
}
