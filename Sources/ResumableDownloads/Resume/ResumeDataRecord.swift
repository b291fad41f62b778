import Foundation

/// The fields of the encoded form, under the names they have there. Sizes and contents are as found; `validated()` says
/// whether they can be used.
struct ResumeDataRecord: Codable, Sendable, Equatable {
  /// Tells this format from every other.
  var format = Self.format
  /// Raised when an older reader would misunderstand. New optional fields do not raise it; readers ignore them.
  var version = Self.version
  var identity: UUID
  var method = "GET"
  var url: String
  var headers: [HeaderField] = []
  var lastURL: String?
  var entityTag: String?
  var lastModified: String?
  /// The Date of the response, without which Last-Modified cannot be known to be strong.
  var responseDate: String?
  /// Bytes written.
  var offset: Int64 = 0
  /// Bytes known to be on disk.
  var syncedOffset: Int64 = 0
  var total: Int64?
  /// Absolute path of the partial file.
  var partialPath: String
  /// Its last component, by which it is found when its folder has moved.
  var partialName: String
  var createdAt: ArchiveDate
  var updatedAt: ArchiveDate
  var bootIdentifier: String?
  var isClosed = false
  var contentCoding: String?
  /// Absolute path to which the finished file is moved, if the download does that itself.
  var destination: String?

  static let format = "ResumableDownloads.ResumeData"
  static let version = 1

  /// The entity tag and dates together.
  var validators: Validators {
    get { Validators(entityTag: entityTag, lastModified: lastModified, date: responseDate) }
    set { (entityTag, lastModified, responseDate) = (newValue.entityTag, newValue.lastModified, newValue.date) }
  }
}

/// A date in the encoded form: ISO 8601 in UTC, to the second, from 1970 to 9999.
struct ArchiveDate: Sendable, Equatable, Codable {
  /// Seconds since 1970.
  let seconds: Int64

  /// The date to the second; outside 1970 to 9999 the nearer end.
  init(_ date: Date) {
    let seconds = date.timeIntervalSince1970
    guard seconds >= 0 else {
      self.seconds = 0
      return
    }
    // The smaller of the two is finite and fits, whatever the date is.
    self.seconds = Int64(min(seconds, Double(CivilTime.latestSeconds)))
  }

  /// The same moment.
  var date: Date { Date(timeIntervalSince1970: Double(seconds)) }

  /// Reads exactly `2026-01-31T23:59:59Z`.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 20, bytes[19] == 0x5A, bytes[10] == 0x54 else { return nil }
    guard bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[13] == 0x3A, bytes[16] == 0x3A else { return nil }
    let parts = [0..<4, 5..<7, 8..<10, 11..<13, 14..<16, 17..<19].compactMap {
      FieldSyntax.number(String(decoding: bytes[$0], as: UTF8.self)).map { Int($0) }
    }
    guard parts.count == 6, parts[0] >= 1970 else { return nil }
    let time = CivilTime(
      year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4], second: parts[5])
    guard let time else { return nil }
    seconds = time.secondsSince1970
  }

  /// Reads the text form.
  init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let date = ArchiveDate(text) else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not a date"))
    }
    self = date
  }

  /// Writes the text form.
  func encode(to encoder: any Encoder) throws {
    let time = CivilTime(secondsSince1970: seconds)
    let parts = [time.month, time.day, time.hour, time.minute, time.second].map { $0 < 10 ? "0\($0)" : "\($0)" }
    var container = encoder.singleValueContainer()
    try container.encode("\(time.year)-\(parts[0])-\(parts[1])T\(parts[2]):\(parts[3]):\(parts[4])Z")
  }
}
