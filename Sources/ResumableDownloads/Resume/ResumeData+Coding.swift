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
    let container = try decoder.container(keyedBy: EnvelopeKey.self)
    guard let format = try? container.decode(String.self, forKey: .format), format == ResumeDataRecord.format else {
      throw ResumeDataError.notResumeData
    }
    let version = try container.decode(Int.self, forKey: .version)
    guard version == ResumeDataRecord.version else { throw ResumeDataError.unsupportedVersion(version) }
    let record = try ResumeDataRecord(from: decoder)
    self.init(validRecord: record, url: try record.validated())
  }

  /// Writes the same fields that `encoded` holds.
  public func encode(to encoder: any Encoder) throws { try record.encode(to: encoder) }

  /// The blob: JSON with sorted keys, so that equal values have equal blobs.
  public var encoded: Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Text, integers and truth values have no way to fail. Should one appear, an empty blob is refused on decoding.
    return (try? encoder.encode(record)) ?? Data()
  }

  /// The largest blob that is looked at. What this package writes stays below it, by the limits of the single fields.
  static let maximumByteCount = 256 * 1024

  /// Objects in an array in the object is all the format needs; the rest is room for later fields.
  static let maximumDepth = 8

  /// The fields that say what the rest means.
  private enum EnvelopeKey: String, CodingKey { case format, version }
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
      self = Self.countNames.contains(key) ? .numberOutOfRange(name: key) : .invalidField(name: Self.fieldName(key))
    @unknown default: self = .notResumeData
    }
  }

  /// The name if it is an identifier of a reasonable length.
  private static func fieldName(_ text: String) -> String {
    text.utf8.count <= 32 && FieldSyntax.isToken(text) ? text : ""
  }

  /// The fields that hold byte counts.
  private static let countNames: Set<String> = ["offset", "syncedOffset", "total"]
}

/// A look at JSON text before it is parsed.
enum JSONShape {
  /// Whether the text is UTF-8, begins as an object, and nests no deeper than allowed. A parser that recurses must never
  /// see a text that nests a hundred thousand times.
  static func isObject(_ data: Data, maximumDepth: Int) -> Bool {
    guard data.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == 0x7B else { return false }
    // A zero byte would make a parser take the text for UTF-16, in which the scan below sees other characters.
    guard !data.contains(0), String(data: data, encoding: .utf8) != nil else { return false }
    var (depth, isInString, isEscaped) = (0, false, false)
    for byte in data {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == 0x5C {
          isEscaped = true
        } else if byte == 0x22 {
          isInString = false
        }
        continue
      }
      switch byte {
      case 0x22: isInString = true
      case 0x7B, 0x5B: depth += 1
      case 0x7D, 0x5D: depth -= 1
      default: break
      }
      if depth > maximumDepth || depth < 0 { return false }
    }
    return true
  }
}
