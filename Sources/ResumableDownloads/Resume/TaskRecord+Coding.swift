internal import Foundation

extension TaskRecord {
  /// Room for the largest body in base 64 and everything else.
  static let maximumByteCount = 12 << 20
  /// Fields in an array in an object in the record.
  private static let maximumDepth = 8
  /// A longer text is not recorded, and is gone with the process.
  static let maximumDescriptionByteCount = 1 << 20
  /// Far from where adding one could overflow.
  static let maximumIdentifier = 1 << 53

  /// Decodes a record. Its size and depth are bounded before it is parsed, and every field is checked after.
  init(_ data: Data) throws(ResumeDataError) {
    guard data.count <= Self.maximumByteCount else { throw .tooLarge }
    guard JSONShape.isObject(data, maximumDepth: Self.maximumDepth) else { throw .notResumeData }
    let decoder = JSONDecoder()
    guard let kind = try? decoder.decode(Kind.self, from: data), kind.format == Self.format else {
      throw .notResumeData
    }
    guard kind.version == Self.version else { throw .unsupportedVersion(kind.version) }
    do {
      self = try decoder.decode(TaskRecord.self, from: data)
    } catch {
      throw .notResumeData
    }
    _ = try validated()
  }

  /// The record as JSON with sorted keys.
  func encoded() throws(ResumeDataError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      let data = try encoder.encode(self)
      if data.count <= Self.maximumByteCount { return data }
    } catch {
      // Only a number that JSON lacks can be the reason, and `validated()` lets none through.
      throw .numberOutOfRange(name: "\(identifier)")
    }
    throw .tooLarge
  }

  /// Checks every field.
  /// - Returns: the URL of the request.
  func validated() throws(ResumeDataError) -> URL {
    guard (1...Self.maximumIdentifier).contains(identifier) else { throw .numberOutOfRange(name: "identifier") }
    guard UUID(uuidString: partialStem)?.uuidString.lowercased() == partialStem else {
      throw .unsafePath(name: "partialStem")
    }
    if let resumeData { _ = try ResumeData(resumeData) }
    if let destination { try ResumeDataRecord.checkPath(destination.path, name: "destination") }
    guard (description?.utf8.count ?? 0) <= Self.maximumDescriptionByteCount else { throw .tooLarge }
    guard priority.isFinite else { throw .numberOutOfRange(name: "priority") }
    guard (beginTime ?? 0).isFinite else { throw .numberOutOfRange(name: "beginTime") }
    if let response, !response.isValid { throw .invalidField(name: "response") }
    if let finished, finished.size < 0 || !finished.modified.isFinite { throw .numberOutOfRange(name: "finished") }
    return try request.validated()
  }

  /// The fields that say what the rest means.
  private struct Kind: Decodable {
    var format: String
    var version: Int
  }
}
