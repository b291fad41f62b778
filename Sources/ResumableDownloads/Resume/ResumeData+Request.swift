public import Foundation
public import FoundationNetworking

extension ResumeData {
  /// The same download at another address or with other headers, for example when a signed link has expired.
  ///
  /// The validators stay, so bytes are only added when the new address serves the same version.
  ///
  /// - Throws: `ResumeDataError.unsupportedRequest` unless it is a plain GET over http or https, `invalidField` for
  ///   headers that cannot be sent.
  public func replacingRequest(_ request: URLRequest) throws(ResumeDataError) -> ResumeData {
    guard let url = request.url, request.httpMethod ?? "GET" == "GET" else { throw .unsupportedRequest }
    let fields = (request.allHTTPHeaderFields ?? [:]).map { HeaderField(name: $0.key, value: $0.value) }
    var copy = self
    copy.urlString = url.absoluteString
    copy.lastURLString = nil
    copy.headerFields = ResumeRules.sanitizedRequestFields(fields).sorted { $0.name < $1.name }
    do { try copy.check() } catch {
      throw error == .invalidField("url") ? .unsupportedRequest : error
    }
    return copy
  }
}
