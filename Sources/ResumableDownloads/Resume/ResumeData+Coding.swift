public import Foundation

/// Why data is no usable resume data.
public enum ResumeDataError: Error, Equatable, Sendable, LocalizedError {
  /// Not this format at all, or damaged.
  case notResumeData
  /// Written by a newer version of the package.
  case unsupportedVersion(Int)
  /// Larger than anything that this package writes.
  case tooLarge
  /// A field holds something that it may not.
  case invalidField(String)
  /// The new request is no plain GET over http or https.
  case unsupportedRequest

  public var errorDescription: String? {
    switch self {
    case .notResumeData: "it is not resume data of this package, or it is damaged."
    case .unsupportedVersion(let version): "its version \(version) is newer than this program understands."
    case .tooLarge: "it is too large."
    case .invalidField(let name): "its field “\(name)” is not valid."
    case .unsupportedRequest: "only a GET over http or https can be continued."
    }
  }
}

extension ResumeData {
  static let maximumBytes = 256 * 1024
  private static let maximumDepth = 8
  private static let maximumHeaders = 256

  private struct Envelope: Decodable {
    var format: String
    var version: Int
  }

  /// Reads what `encoded` or `cancel(byProducingResumeData:)` produced.
  ///
  /// - Throws: `ResumeDataError`, with the reason. Nothing that `data` can hold traps or costs more than its size.
  public init(_ data: Data) throws(ResumeDataError) {
    guard data.count <= Self.maximumBytes else { throw .tooLarge }
    guard Self.isShallow(data) else { throw .notResumeData }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    guard let envelope = try? decoder.decode(Envelope.self, from: data), envelope.format == Self.formatName else {
      throw .notResumeData
    }
    guard envelope.version == Self.currentVersion else { throw .unsupportedVersion(envelope.version) }
    do { self = try decoder.decode(ResumeData.self, from: data) } catch { throw .notResumeData }
    try check()
  }

  /// The archive: JSON with sorted keys.
  public var encoded: Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .secondsSince1970
    // All fields are strings and finite numbers, which always encode; an empty archive is refused by `init`.
    return (try? encoder.encode(self)) ?? Data()
  }

  /// Deeply nested input could exhaust the stack of a recursive reader.
  private static func isShallow(_ data: Data) -> Bool {
    var depth = 0
    for byte in data {
      if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") { depth += 1 }
      if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") { depth -= 1 }
      if depth > maximumDepth { return false }
    }
    return true
  }

  func check() throws(ResumeDataError) {
    guard method == "GET" else { throw .invalidField("method") }
    guard let url = URL(string: urlString), url.absoluteString == urlString, let scheme = url.scheme?.lowercased(),
      scheme == "http" || scheme == "https", url.host?.isEmpty == false
    else { throw .invalidField("url") }
    guard headerFields.count <= Self.maximumHeaders, headerFields.allSatisfy(Self.isValid) else {
      throw .invalidField("headers")
    }
    guard [entityTag, lastModified, responseDate].allSatisfy({ Self.isLine($0 ?? "") }) else {
      throw .invalidField("entityTag")
    }
    guard byteOffset >= 0, byteOffset < .max / 2 else { throw .invalidField("offset") }
    guard (0...byteOffset).contains(syncedByteOffset) else { throw .invalidField("syncedOffset") }
    if let total = expectedTotalBytes, total < byteOffset { throw .invalidField("total") }
    guard creationDate.timeIntervalSince1970.isFinite, modificationDate.timeIntervalSince1970.isFinite else {
      throw .invalidField("updatedAt")
    }
    try checkPath()
  }

  /// The partial's path stays in its folder and has the name that a partial has.
  private func checkPath() throws(ResumeDataError) {
    let parts = partialPath.split(separator: "/", omittingEmptySubsequences: false)
    let isClean = parts.dropFirst().allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
    guard partialPath.hasPrefix("/"), isClean, !partialPath.utf8.contains(0), partialPath.utf8.count <= 4096 else {
      throw .invalidField("partialPath")
    }
    guard parts.last.map(String.init) == partialName, partialName.hasSuffix(".partial"), partialName.utf8.count <= 255
    else { throw .invalidField("partialName") }
  }

  private static func isValid(_ field: HeaderField) -> Bool {
    let separators = Set("()<>@,;:\\\"/[]?={} \t".utf8)
    let isToken = field.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !separators.contains($0) }
    return !field.name.isEmpty && isToken && isLine(field.value)
  }

  /// Nothing that could end a header line.
  private static func isLine(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 }
  }
}
