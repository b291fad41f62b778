public import Foundation

extension ResumeData: Codable {
  /// Decodes a blob that `cancel(byProducingResumeData:)` handed out.
  ///
  /// The blob is not trusted: its size and depth are bounded before it is parsed, and every field is checked after.
  /// - Throws: ``ResumeDataError``. No blob, however broken, does worse.
  public init(_ data: Data) throws(ResumeDataError) {
    guard data.count <= Self.maximumByteCount else { throw .tooLarge }
    guard JSONShape.isObject(data, maximumDepth: Self.maximumDepth) else { throw .notResumeData }
    do {
      self = try JSONDecoder().decode(ResumeData.self, from: data)
    } catch let error as ResumeDataError {
      throw error
    } catch let error as DecodingError {
      throw ResumeDataError(error)
    } catch {
      throw .notResumeData
    }
  }

  /// Decodes and checks the fields. The format's name and version come first, so that a blob from a later version is
  /// reported as such, whatever else it holds.
  /// - Throws: ``ResumeDataError``, or the decoder's own error for a field that is missing or of another type.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CheckedKey.self)
    guard let format = try? container.decode(String.self, forKey: .format), format == ResumeDataRecord.format else {
      throw ResumeDataError.notResumeData
    }
    guard let version = try Self.number(.version, in: container, or: .invalidField(name: "version")) else {
      throw ResumeDataError.missingField(name: "version")
    }
    guard version == ResumeDataRecord.version else { throw ResumeDataError.unsupportedVersion(Int(version)) }
    for key in [CheckedKey.offset, .syncedOffset, .total] {
      _ = try Self.number(key, in: container, or: .numberOutOfRange(name: key.rawValue))
    }
    let record = try ResumeDataRecord(from: decoder)
    self.init(validRecord: record, url: try record.validated())
  }

  /// Writes the same fields that `encoded` holds.
  public func encode(to encoder: any Encoder) throws { try record.encode(to: encoder) }

  /// The blob: JSON with sorted keys, so that equal values have equal blobs.
  public var encoded: Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // The record is text, integers, truth values and arrays of such: JSONEncoder fails for numbers that are not finite,
    // for custom code that throws and for a top level without a container only, and there is none of these. An empty
    // blob would still do no harm: it is refused when it is decoded, and no journal is made of it.
    return (try? encoder.encode(record)) ?? Data()
  }

  /// The largest blob that is looked at. What this package writes stays below it, by the limits of the single fields.
  static let maximumByteCount = 256 * 1024

  /// Objects in an array in the object is all the format needs; the rest is room for later fields.
  static let maximumDepth = 8

  /// A number, or nil where there is none. The decoder does not say which field holds a number that is too large, so
  /// the numbers are read one by one first.
  private static func number(
    _ key: CheckedKey, in container: KeyedDecodingContainer<CheckedKey>, or error: ResumeDataError
  ) throws(ResumeDataError) -> Int64? {
    do {
      return try container.decodeIfPresent(Int64.self, forKey: key)
    } catch _ {
      throw error
    }
  }

  /// The fields that say what the rest means, and those that hold numbers.
  private enum CheckedKey: String, CodingKey { case format, version, offset, syncedOffset, total }
}

extension ResumeDataError {
  /// The counterpart of an error of the decoder. Only names of our own fields get into it.
  fileprivate init(_ error: DecodingError) {
    switch error {
    case .keyNotFound(let key, let context):
      self = .missingField(name: Self.fieldName((context.codingPath.first ?? key).stringValue))
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      guard let key = context.codingPath.first?.stringValue else {
        self = .notResumeData
        return
      }
      self = .invalidField(name: Self.fieldName(key))
    @unknown default: self = .notResumeData
    }
  }

  /// The name if it is an identifier of a reasonable length.
  private static func fieldName(_ text: String) -> String {
    text.utf8.count <= 32 && FieldSyntax.isToken(text) ? text : ""
  }
}
