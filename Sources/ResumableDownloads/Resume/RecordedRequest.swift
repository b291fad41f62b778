internal import Foundation
internal import FoundationNetworking

/// A request as it was made, with every part that a `URLRequest` lets one set, its body as bytes.
struct RecordedRequest: Codable, Sendable, Equatable {
  var method: String
  var url: String
  var headers: [HeaderField]
  var body: Data?
  var timeout: Double
  var cachePolicy: UInt
  var mainDocumentURL: String?
  var handlesCookies: Bool
  var allowsCellularAccess: Bool

  /// Larger bodies are not recorded: they would be written again with every change of the task.
  static let maximumBodyByteCount = 4 << 20

  /// Takes a request apart; `body` is what its stream held, if it had one.
  init(_ request: URLRequest, body: Data?) {
    method = request.httpMethod ?? "GET"
    url = request.url?.absoluteString ?? ""
    headers = (request.allHTTPHeaderFields ?? [:]).map { HeaderField(name: $0.key, value: $0.value) }
      .sorted { $0.name < $1.name }
    self.body = body
    timeout = request.timeoutInterval
    cachePolicy = request.cachePolicy.rawValue
    mainDocumentURL = request.mainDocumentURL?.absoluteString
    handlesCookies = request.httpShouldHandleCookies
    allowsCellularAccess = request.allowsCellularAccess
  }

  /// The request again.
  func request(_ url: URL) -> URLRequest {
    let policy = URLRequest.CachePolicy(rawValue: cachePolicy) ?? .useProtocolCachePolicy
    var request = URLRequest(url: url, cachePolicy: policy, timeoutInterval: timeout)
    request.httpMethod = method
    for field in headers { request.addValue(field.value, forHTTPHeaderField: field.name) }
    request.httpBody = body
    request.mainDocumentURL = mainDocumentURL.flatMap { URL(string: $0) }
    request.httpShouldHandleCookies = handlesCookies
    request.allowsCellularAccess = allowsCellularAccess
    return request
  }

  /// Checks every part.
  /// - Returns: the URL.
  func validated() throws(ResumeDataError) -> URL {
    guard FieldSyntax.isToken(method), method.utf8.count <= ResumeDataRecord.maximumTextByteCount else {
      throw .method(method)
    }
    try ResumeDataRecord.check(headers)
    if let mainDocumentURL, mainDocumentURL.utf8.count > ResumeDataRecord.maximumURLByteCount { throw .tooLarge }
    guard (body?.count ?? 0) <= Self.maximumBodyByteCount else { throw .tooLarge }
    guard timeout.isFinite, timeout >= 0 else { throw .numberOutOfRange(name: "timeout") }
    return try ResumeDataRecord.checkedURL(url, name: "url")
  }
}
