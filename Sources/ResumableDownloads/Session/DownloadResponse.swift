internal import Foundation
internal import FoundationNetworking

/// The head of an answer as `HTTPURLResponse`, with a file name that is always one safe component.
///
/// FoundationNetworking's own `suggestedFilename` returns `..`, empty and hidden names and ignores `filename*`.
// Immutable after init.
final class DownloadResponse: HTTPURLResponse, @unchecked Sendable {
  private let head: ResponseHead

  init?(_ head: ResponseHead) {
    guard let url = URL(string: head.url) else { return nil }
    self.head = head
    var names: [String: String] = [:]
    var fields: [String: String] = [:]
    for field in head.fields {
      // The first spelling of a name is the one that stays.
      let known = names[field.name.lowercased(), default: field.name]
      names[field.name.lowercased()] = known
      fields[known] = fields[known].map { "\($0), \(field.value)" } ?? field.value
    }
    super.init(url: url, statusCode: head.status, httpVersion: head.version, headerFields: fields)
  }

  required init?(coder: NSCoder) { nil }

  override var suggestedFilename: String? {
    SuggestedFilename.make(contentDisposition: head.value("Content-Disposition"), urlString: head.url)
  }
}
