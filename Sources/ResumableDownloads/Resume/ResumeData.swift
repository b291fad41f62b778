public import Foundation

/// What a download can be continued with: the address, the validators, the offset and where the partial file lies.
///
/// This is what `cancel(byProducingResumeData:)` hands out in encoded form, and what lies beside a partial file while it
/// downloads. It is a versioned archive in JSON, so that people can look inside. Reading one is strict: whatever the data
/// holds, the result is a value that is safe to use or an error, never a trap.
public struct ResumeData: Codable, Sendable, Equatable {
  static let formatName = "ResumableDownloads.ResumeData"
  static let currentVersion = 1

  var format = ResumeData.formatName
  var version = ResumeData.currentVersion
  /// Names the bytes of one partial file; a new one for each fresh start.
  public internal(set) var identity: UUID
  /// The method of the original request, always `GET`.
  public internal(set) var method: String
  /// The exact address of the original request. A continued download asks it again, so redirects are renewed.
  public internal(set) var urlString: String
  var headerFields: [HeaderField]
  /// The address that answered after redirects; for information.
  public internal(set) var lastURLString: String?
  /// The `ETag` of the answer, verbatim.
  public internal(set) var entityTag: String?
  /// The `Last-Modified` of the answer, verbatim.
  public internal(set) var lastModified: String?
  var responseDate: String?
  /// Bytes of the file that were written.
  public internal(set) var byteOffset: Int64
  /// Bytes of the file that were on the disk for certain: what counts after the machine was restarted.
  public internal(set) var syncedByteOffset: Int64
  /// Bytes of the whole file; `nil` when the server did not say.
  public internal(set) var expectedTotalBytes: Int64?
  var partialPath: String
  var partialName: String
  /// When the download began, and when this was written.
  public internal(set) var creationDate: Date
  public internal(set) var modificationDate: Date
  var bootIdentifier: String
  /// Whether the writer ended in an orderly way; otherwise the real length of the partial counts.
  public internal(set) var isClosed: Bool
  var contentCoding: String?

  enum CodingKeys: String, CodingKey {
    case format, version, identity, method, urlString = "url", headerFields = "headers", lastURLString = "lastURL"
    case entityTag, lastModified, responseDate, byteOffset = "offset", syncedByteOffset = "syncedOffset"
    case expectedTotalBytes = "total", partialPath, partialName, creationDate = "createdAt"
    case modificationDate = "updatedAt", bootIdentifier, isClosed, contentCoding
  }

  /// The address of the original request.
  public var url: URL { URL(string: urlString) ?? URL(fileURLWithPath: "/") }

  /// The header fields of the original request. They may hold secrets, which continuing needs.
  public var headers: [String: String] {
    Dictionary(headerFields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  /// Where the partial file was when this was written. It is also looked for by name in the session's directory.
  public var partialURL: URL { URL(fileURLWithPath: partialPath) }

  var validators: Validators {
    Validators(entityTag: entityTag, lastModified: lastModified, date: responseDate)
  }

  func updating(offset: Int64, synced: Int64, isClosed: Bool, bootIdentifier: String, at date: Date) -> ResumeData {
    var copy = self
    copy.byteOffset = offset
    copy.syncedByteOffset = synced
    copy.isClosed = isClosed
    copy.bootIdentifier = bootIdentifier
    copy.modificationDate = date
    return copy
  }

  func withTotal(_ total: Int64) -> ResumeData {
    var copy = self
    copy.expectedTotalBytes = total
    return copy
  }

  func withPartial(path: String) -> ResumeData {
    var copy = self
    copy.partialPath = path
    copy.partialName = path.split(separator: "/").last.map(String.init) ?? path
    return copy
  }
}
