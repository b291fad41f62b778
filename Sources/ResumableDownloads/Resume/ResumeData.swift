public import Foundation

/// What is needed to continue a download: in another task, another process, or after a restart of the machine.
///
/// `cancel(byProducingResumeData:)` hands out the encoded form, and the same form lies beside a partial file while it
/// is downloaded. Unlike on Apple's systems the format is open: decode it to look inside, to show how far a download
/// got, or to continue it at a fresh URL when a signed link has expired.
///
/// A value always satisfies the checks that decoding makes. It is a permission to try: whether the server still has the
/// same file is found out when the download is resumed.
///
/// The blob holds the request's header fields, which may include credentials. Keep it as safe as those.
public struct ResumeData: Sendable, Equatable {
  /// The fields as they stand in the encoded form. They change only through functions that keep them valid.
  var record: ResumeDataRecord

  /// The URL that was asked for at first, and is asked again on resume. A redirect is followed anew, so a signed URL
  /// that the redirect leads to is renewed.
  public let url: URL

  /// Takes fields that have been checked; see `init(_:)` for the ones that have not.
  init(validRecord: ResumeDataRecord, url: URL) {
    record = validRecord
    self.url = url
  }
}

extension ResumeData {
  /// `url` as text, octet for octet as it was asked for.
  public var urlString: String { record.url }

  /// The method of the request; always `GET`.
  public var method: String { record.method }

  /// The header fields of the original request. Values of a repeated field are joined with a comma.
  public var headers: [String: String] {
    Dictionary(record.headers.map { ($0.name, $0.value) }) { $0 + ", " + $1 }
  }

  /// The URL that answered, after redirects; for information only.
  public var lastURL: URL? { record.lastURL.flatMap { URL(string: $0) } }

  /// The entity tag of the file, as the server spelled it (RFC 9110 section 8.8.3).
  public var entityTag: String? { record.entityTag }

  /// The Last-Modified date of the file, as the server spelled it (RFC 9110 section 8.8.2).
  public var lastModified: String? { record.lastModified }

  /// How many bytes of the file have been written.
  public var byteOffset: Int64 { record.offset }

  /// How many bytes of the file are known to survive a power cut; at most `byteOffset`.
  public var syncedByteOffset: Int64 { record.syncedOffset }

  /// The length of the whole file in bytes, or nil when the server has not said.
  public var expectedTotalBytes: Int64? { record.total }

  /// How much of the file is there, from 0 to 1, or nil when the whole length is unknown.
  public var fractionCompleted: Double? {
    guard let total = record.total else { return nil }
    return total > 0 ? Double(record.offset) / Double(total) : 1
  }
}

extension ResumeData {
  /// Where the partial file was when this was written. The file is also found after its folder has moved.
  public var partialURL: URL { URL(filePath: record.partialPath, directoryHint: .notDirectory) }

  /// Where the finished file goes, for a download that moves it there itself.
  public var destinationURL: URL? {
    record.destination.map { URL(filePath: $0, directoryHint: .notDirectory) }
  }

  /// What ties a partial file and its resume data together. Both carry it, so that a blob cannot name a file that is
  /// not its partial.
  public var identity: UUID { record.identity }

  /// When the download began, to the second.
  public var creationDate: Date { record.createdAt.date }

  /// When the values last changed, to the second.
  public var modificationDate: Date { record.updatedAt.date }

  /// Which run of the machine wrote this. Bytes written but not synced survive the process, not the machine.
  public var bootIdentifier: String? { record.bootIdentifier }

  /// Whether the download was ended in an orderly way, so that `byteOffset` is exact.
  public var isClosed: Bool { record.isClosed }
}
