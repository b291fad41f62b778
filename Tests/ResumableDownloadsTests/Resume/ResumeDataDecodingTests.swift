import Foundation
import TestSupport
import Testing

@testable import ResumableDownloads

/// Blobs that are not what this package writes.
@Suite("Foreign and damaged resume data", .timeLimit(.minutes(1)))
struct ResumeDataDecodingTests {
  /// The sample's JSON with one field replaced, by a JSON fragment, or removed.
  private func blob(_ field: String, _ fragment: String?) throws -> Data {
    let sample = try sampleResumeData().encoded
    var object = try #require(JSONSerialization.jsonObject(with: sample) as? [String: Any])
    object[field] = nil
    let rest = String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    guard let fragment else { return Data(rest.utf8) }
    return Data("{\"\(field)\":\(fragment),\(rest.dropFirst())".utf8)
  }

  @Test(
    "Each field is checked",
    arguments: [
      ("format", "\"other\"", .notResumeData), ("format", nil, .notResumeData), ("format", "1", .notResumeData),
      ("version", "2", .unsupportedVersion(2)), ("version", "-1", .unsupportedVersion(-1)),
      ("version", "\"1\"", .invalidField(name: "version")), ("version", nil, .missingField(name: "version")),
      ("version", "1e99", .invalidField(name: "version")), ("identity", "\"x\"", .invalidField(name: "identity")),
      ("identity", nil, .missingField(name: "identity")), ("method", "\"POST\"", .unsupportedMethod("POST")),
      ("method", "\"get\"", .unsupportedMethod("get")), ("method", "null", .invalidField(name: "method")),
      ("url", "\"file:///etc/passwd\"", .unsupportedScheme("file")), ("url", "\"/relative\"", .unsupportedScheme("")),
      ("url", "\"https:///nohost\"", .invalidField(name: "url")),
      ("url", "\"https:opaque\"", .invalidField(name: "url")),
      ("url", "\"https://h/a b\"", .invalidField(name: "url")), ("url", "\"\"", .invalidField(name: "url")),
      ("url", "\"https://h/\\r\\nHost: x\"", .invalidField(name: "url")), ("url", "[]", .invalidField(name: "url")),
      ("url", "\"https://h/\\u0000\"", .invalidField(name: "url")), ("url", nil, .missingField(name: "url")),
      ("lastURL", "\"javascript:1\"", .unsupportedScheme("javascript")),
      ("offset", "-1", .numberOutOfRange(name: "offset")), ("offset", "1001", .numberOutOfRange(name: "offset")),
      ("offset", "9223372036854775808", .numberOutOfRange(name: "offset")),
      ("offset", "1e400", .numberOutOfRange(name: "offset")), ("offset", "1.5", .numberOutOfRange(name: "offset")),
      ("offset", "299", .numberOutOfRange(name: "syncedOffset")),
      ("syncedOffset", "401", .numberOutOfRange(name: "syncedOffset")),
      ("syncedOffset", "-1", .numberOutOfRange(name: "syncedOffset")),
      ("total", "-1", .numberOutOfRange(name: "total")), ("total", "399", .numberOutOfRange(name: "offset")),
      ("headers", "[{\"name\":\"a b\",\"value\":\"\"}]", .invalidField(name: "headers")),
      ("headers", "[{\"name\":\"\",\"value\":\"\"}]", .invalidField(name: "headers")),
      ("headers", "[{\"name\":\"A\",\"value\":\"x\\r\\nB: y\"}]", .invalidField(name: "headers")),
      ("headers", "[{\"name\":\"A\",\"value\":\"\\u0000\"}]", .invalidField(name: "headers")),
      ("headers", "[{\"name\":\"A\"}]", .missingField(name: "headers")),
      ("headers", "{}", .invalidField(name: "headers")),
      ("entityTag", "\"\"", .invalidField(name: "entityTag")),
      ("entityTag", "\"\\n\"", .invalidField(name: "entityTag")),
      ("entityTag", "\" a\"", .invalidField(name: "entityTag")),
      ("lastModified", "\"a\\nb\"", .invalidField(name: "lastModified")),
      ("responseDate", "\"\"", .invalidField(name: "responseDate")),
      ("contentCoding", "\"\"", .invalidField(name: "contentCoding")),
      ("bootIdentifier", "\"a\\u0000\"", .invalidField(name: "bootIdentifier")),
      ("createdAt", "\"yesterday\"", .invalidField(name: "createdAt")),
      ("createdAt", "\"1969-12-31T23:59:59Z\"", .invalidField(name: "createdAt")),
      ("updatedAt", "\"2023-02-29T00:00:00Z\"", .invalidField(name: "updatedAt")),
      ("updatedAt", "1e300", .invalidField(name: "updatedAt")), ("isClosed", "1", .invalidField(name: "isClosed")),
    ] as [(String, String?, ResumeDataError)])
  func fields(field: String, fragment: String?, expected: ResumeDataError) throws {
    let data = try blob(field, fragment)
    #expect(throws: expected) { try ResumeData(data) }
  }

  @Test(
    "A path cannot leave its folder or name anything but a partial",
    arguments: [
      ("partialPath", "relative/a.partial"), ("partialPath", ""), ("partialPath", "/tmp/../a.partial"),
      ("partialPath", "/tmp/./a.partial"), ("partialPath", "/tmp//a.partial"), ("partialPath", "/a.partial/"),
      ("partialPath", "/tmp/b.partial"), ("partialPath", "/tmp/a\\u0000/a.partial"),
      ("partialPath", "/" + String(repeating: "x", count: 256) + "/a.partial"),
      ("partialPath", "/" + String(repeating: "xx/", count: 1400) + "a.partial"), ("partialName", "b.partial"),
      ("partialName", "../a.partial"), ("partialName", ".partial"), ("partialName", "a.partial/"), ("partialName", ""),
      ("destination", "file.iso"), ("destination", "/home/../etc/passwd"), ("destination", "/home/"),
      ("destination", "/"),
    ])
  func paths(field: String, path: String) throws {
    let data = try blob(field, "\"\(path)\"")
    let error = #expect(throws: ResumeDataError.self) { try ResumeData(data) }
    let expected = [field, "partialPath", "partialName"].map { ResumeDataError.unsafePath(name: $0) }
    #expect(error.map(expected.contains) == true)
  }

  @Test(
    "What is not in this format at all is said to be none",
    arguments: [
      "", " ", "{", "{}", "[]", "null", "\"\"", "{\"format\":\"ResumableDownloads.ResumeData\"", "<html></html>",
      "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>NSURLSessionResumeBytesReceived</key></dict></plist>",
      "bplist00\u{0}\u{1}", "{\"format\":\"NSURLSession\",\"version\":1}", "{]", "}{",
    ])
  func otherFormats(text: String) {
    #expect(throws: ResumeDataError.notResumeData) { try ResumeData(Data(text.utf8)) }
  }

  @Test("A property list as Apple's systems make it is not resume data here")
  func appleBlob() throws {
    let values: [String: Any] = [
      "NSURLSessionResumeInfoVersion": 2, "NSURLSessionDownloadURL": "https://example.com/f",
      "NSURLSessionResumeBytesReceived": 400, "NSURLSessionResumeInfoTempFileName": "CFNetworkDownload_a.tmp",
    ]
    for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
      let data = try PropertyListSerialization.data(fromPropertyList: values, format: format, options: 0)
      #expect(throws: ResumeDataError.notResumeData) { try ResumeData(data) }
    }
  }

  @Test("Deep nesting is refused before it reaches a parser that recurses")
  func deepNesting() throws {
    let opening = String(repeating: "[", count: 100_000)
    #expect(throws: ResumeDataError.notResumeData) { try ResumeData(Data(opening.utf8)) }
    #expect(throws: ResumeDataError.notResumeData) { try ResumeData(Data("{\"a\":\(opening)".utf8)) }
    let objects = String(repeating: "{\"a\":", count: 40_000)
    #expect(throws: ResumeDataError.notResumeData) { try ResumeData(Data(objects.utf8)) }
    // As UTF-16 the sign holds the byte of a quote, and a scan for ASCII would take all brackets for text.
    let wide = try #require("{\"\u{2200}\":\(opening)".data(using: .utf16LittleEndian))
    #expect(!JSONShape.isObject(wide, maximumDepth: ResumeData.maximumDepth))
    #expect(throws: ResumeDataError.notResumeData) { try ResumeData(wide) }
    // Brackets in a string are text.
    let data = try blob("note", "\"\\\\\\\"\(String(repeating: "[{", count: 100))\"")
    #expect(try ResumeData(data) == sampleResumeData())
  }

  @Test("Size is checked before anything else, and single parts have limits of their own")
  func sizes() throws {
    let huge = Data(repeating: 0x5B, count: ResumeData.maximumByteCount + 1)
    #expect(throws: ResumeDataError.tooLarge) { try ResumeData(huge) }
    let long = try blob("url", "\"https://h/\(String(repeating: "x", count: ResumeDataRecord.maximumURLByteCount))\"")
    #expect(throws: ResumeDataError.tooLarge) { try ResumeData(long) }
    let field = "{\"name\":\"A\",\"value\":\"\"}"
    let many = try blob("headers", "[\(Array(repeating: field, count: 257).joined(separator: ","))]")
    #expect(throws: ResumeDataError.tooLarge) { try ResumeData(many) }
    let wide = try blob("headers", "[{\"name\":\"A\",\"value\":\"\(String(repeating: "x", count: 65_536))\"}]")
    #expect(throws: ResumeDataError.tooLarge) { try ResumeData(wide) }
  }

  @Test("Fields that this version does not know are ignored, and a repeated one does no harm")
  func unknownFields() throws {
    let data = try blob("later", "{\"a\":[1,2,{\"b\":null}]}")
    #expect(try ResumeData(data) == sampleResumeData())
    let text = String(decoding: try sampleResumeData().encoded, as: UTF8.self)
    let repeated = Data(("{\"offset\":-5,\"offset\":400,\"offset\":400," + text.dropFirst()).utf8)
    if let decoded = try? ResumeData(repeated) { #expect(decoded.byteOffset >= 0) }
  }

  @Test("A slice of a larger buffer decodes like a buffer of its own")
  func slice() throws {
    let encoded = try sampleResumeData().encoded
    let buffer = Data([1, 2, 3]) + encoded + Data([4])
    #expect(try ResumeData(buffer[3..<(3 + encoded.count)]) == sampleResumeData())
  }

  @Test("Ten thousand damaged blobs are refused or decode to valid values")
  func mutations() throws {
    let sample = Array(try sampleResumeData().encoded)
    var generator = SeededGenerator(seed: 3)
    var refused = 0
    for _ in 0..<10_000 {
      let data = Data(generator.mutation(of: sample))
      do throws(ResumeDataError) {
        let decoded = try ResumeData(data)
        #expect(decoded.byteOffset >= decoded.syncedByteOffset && decoded.syncedByteOffset >= 0)
        #expect(decoded.url.absoluteString == decoded.urlString)
        #expect(try ResumeData(decoded.encoded) == decoded)
      } catch {
        refused += 1
        #expect(!error.description.contains("secret") && !error.description.contains("sig="))
      }
    }
    #expect((1..<10_000).contains(refused))
  }

  @Test("Random bytes are refused")
  func randomBytes() {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<2_000 {
      let count = Int.random(in: 0...300, using: &generator)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(throws: ResumeDataError.notResumeData) { try ResumeData(Data(bytes)) }
    }
  }
}
