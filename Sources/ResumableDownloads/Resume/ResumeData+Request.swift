import Foundation
public import FoundationNetworking

extension ResumeData {
  /// The same download, asked for with another request: at a fresh URL when a signed link has expired, or with a fresh
  /// token.
  ///
  /// Everything known about the file stays, so the answer to the new request must still prove that it is the same file.
  /// Range and conditional fields of the request are dropped, since the download sets its own.
  /// - Parameter request: a GET for an http or https URL, without a body.
  /// - Throws: ``ResumeDataError`` when the request cannot be recorded.
  public func replacingRequest(_ request: URLRequest) throws(ResumeDataError) -> ResumeData {
    var record = record
    let parts = try RequestParts(request)
    (record.method, record.url, record.headers, record.lastURL) = (parts.method, parts.url, parts.headers, nil)
    return ResumeData(validRecord: record, url: try record.validated())
  }

  /// The original request, to be asked again: URL, method and header fields, with the system's defaults for the rest.
  var request: URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = method
    for field in record.headers { request.addValue(field.value, forHTTPHeaderField: field.name) }
    return request
  }
}

/// What of a request goes into resume data.
struct RequestParts: Sendable, Equatable {
  /// Always `GET`.
  let method: String
  /// The absolute URL as text.
  let url: String
  /// The header fields by name, without Range and preconditions.
  let headers: [HeaderField]

  /// The parts of a GET without a body; other requests are not recorded.
  init?(method: String, url: String, headers: [HeaderField], hasBody: Bool) {
    guard method == "GET", !hasBody else { return nil }
    (self.method, self.url) = (method, url)
    self.headers = ResumeRules.sanitizedRequestFields(headers)
  }

  /// Takes a request apart; throws when resume data cannot record it.
  init(_ request: URLRequest) throws(ResumeDataError) {
    method = request.httpMethod ?? "GET"
    guard method == "GET" else { throw .method(method) }
    guard request.httpBody == nil, request.httpBodyStream == nil else { throw .requestHasBody }
    guard let url = request.url else { throw .missingField(name: "url") }
    self.url = url.absoluteString
    let fields = (request.allHTTPHeaderFields ?? [:]).map { HeaderField(name: $0.key, value: $0.value) }
    headers = ResumeRules.sanitizedRequestFields(fields).sorted { $0.name < $1.name }
  }
}
