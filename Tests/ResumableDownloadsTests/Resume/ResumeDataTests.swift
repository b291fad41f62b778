import Foundation
import FoundationNetworking
import Testing

@testable import ResumableDownloads

/// A record with every field, 400 of 1000 bytes written.
func sampleResumeData() throws -> ResumeData {
  var request = URLRequest(url: try #require(URL(string: "https://example.com/b%2Fc%20d?sig=a%2Bb%252Fc%3D")))
  request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
  request.setValue("bytes=1-", forHTTPHeaderField: "Range")
  var data = try ResumeData(
    request: RequestParts(request), identity: try #require(UUID(uuidString: "00000000-0000-4000-8000-00000000000A")),
    partialPath: "/tmp/partials/a.partial", createdAt: Date(timeIntervalSince1970: 1_700_000_000.75),
    bootIdentifier: "boot-1", destinationPath: "/home/u/file.iso")
  try data.recordResponse(
    validators: Validators(
      entityTag: "\"a1\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", date: "Sun, 06 Nov 1994 08:49:38 GMT"),
    total: 1000, contentCoding: nil, lastURL: "http://mirror.example.com/f?token=1")
  data.recordProgress(
    written: 400, synced: 300, at: Date(timeIntervalSince1970: 1_700_000_060), bootIdentifier: "boot-1")
  data.recordClosed(true)
  return data
}

@Suite("Resume data", .timeLimit(.minutes(1)))
struct ResumeDataTests {
  @Test("The encoded form is JSON that can be read by eye")
  func encodedForm() throws {
    let expected = """
      {"bootIdentifier":"boot-1","createdAt":"2023-11-14T22:13:20Z","destination":"/home/u/file.iso",\
      "entityTag":"\\"a1\\"","format":"ResumableDownloads.ResumeData",\
      "headers":[{"name":"Authorization","value":"Bearer secret"}],\
      "identity":"00000000-0000-4000-8000-00000000000A","isClosed":true,\
      "lastModified":"Sun, 06 Nov 1994 08:49:37 GMT","lastURL":"http://mirror.example.com/f?token=1","method":"GET",\
      "offset":400,"partialName":"a.partial","partialPath":"/tmp/partials/a.partial",\
      "responseDate":"Sun, 06 Nov 1994 08:49:38 GMT","syncedOffset":300,"total":1000,\
      "updatedAt":"2023-11-14T22:14:20Z","url":"https://example.com/b%2Fc%20d?sig=a%2Bb%252Fc%3D","version":1}
      """
    #expect(String(decoding: try sampleResumeData().encoded, as: UTF8.self) == expected)
  }

  @Test("Encoding and decoding change nothing, by either way")
  func roundTrip() throws {
    let data = try sampleResumeData()
    #expect(try ResumeData(data.encoded) == data)
    #expect(try JSONDecoder().decode(ResumeData.self, from: JSONEncoder().encode(data)) == data)
    #expect(try ResumeData(data.encoded).encoded == data.encoded)
    let list = try PropertyListEncoder().encode(data)
    #expect(try PropertyListDecoder().decode(ResumeData.self, from: list) == data)
  }

  @Test(
    "A URL survives octet for octet",
    arguments: [
      "https://h", "http://h:8080", "https://h?a", "http://[::1]:8080/a", "http://127.0.0.1/a", "HTTPS://EXAMPLE.com/A",
      "https://user:pass@h/", "https://h/a//b/../c/./d", "https://h/%2f%2F%41%zz", "https://h/a?q=[x]&r=a+b%20c#f%23",
      "https://h/ä b?ö=ü", "https://bücher.example/", "https://h/'();:@&=$,!*~|^`{}\\",
    ])
  func urlRoundTrip(text: String) throws {
    // What `URL` makes of the text is the caller's affair; from there on nothing changes.
    let url = try #require(URL(string: text))
    let data = try ResumeData(
      request: RequestParts(URLRequest(url: url)), identity: UUID(), partialPath: "/a.partial", createdAt: Date())
    #expect(data.urlString == url.absoluteString)
    #expect(try ResumeData(data.encoded).urlString == url.absoluteString)
    #expect(try ResumeData(data.encoded).request.url?.absoluteString == url.absoluteString)
  }

  @Test("Callers can look inside")
  func properties() throws {
    let data = try ResumeData(sampleResumeData().encoded)
    #expect(data.url.absoluteString == "https://example.com/b%2Fc%20d?sig=a%2Bb%252Fc%3D")
    #expect(data.urlString == data.url.absoluteString)
    #expect(data.method == "GET")
    #expect(data.headers == ["Authorization": "Bearer secret"])
    #expect(data.lastURL?.absoluteString == "http://mirror.example.com/f?token=1")
    #expect(data.entityTag == "\"a1\"")
    #expect(data.lastModified == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect((data.byteOffset, data.syncedByteOffset) == (400, 300))
    #expect(data.expectedTotalBytes == 1000)
    #expect(data.fractionCompleted == 0.4)
    #expect(data.partialURL.path == "/tmp/partials/a.partial")
    #expect(data.destinationURL?.path == "/home/u/file.iso")
    #expect(data.identity.uuidString == "00000000-0000-4000-8000-00000000000A")
    #expect(data.creationDate.timeIntervalSince1970 == 1_700_000_000)
    #expect(data.modificationDate.timeIntervalSince1970 == 1_700_000_060)
    #expect(data.bootIdentifier == "boot-1")
    #expect(data.isClosed)
    let point = ResumePoint(
      offset: 400, total: 1000, validators: data.record.validators, contentCoding: nil)
    #expect(data.resumePoint == point)
  }

  @Test("Progress that cannot be is moved to the nearest that can")
  func updates() throws {
    var data = try sampleResumeData()
    data.recordProgress(written: 5000, synced: 6000, at: .distantFuture, bootIdentifier: nil)
    #expect((data.byteOffset, data.syncedByteOffset) == (1000, 1000))
    data.recordProgress(written: -5, synced: 7, at: .distantPast, bootIdentifier: "boot-2")
    #expect((data.byteOffset, data.syncedByteOffset, data.bootIdentifier) == (0, 0, "boot-2"))
    #expect(data.modificationDate.timeIntervalSince1970 == 0)
    data.recordProgress(written: 10, synced: 0, at: Date(timeIntervalSince1970: .nan), bootIdentifier: nil)
    data.recordTotal(9)
    #expect(data.expectedTotalBytes == 1000)
    data.recordTotal(20)
    #expect(data.fractionCompleted == 0.5)
    let identity = UUID()
    try data.recordPartial(path: "/var/.b.partial", identity: identity)
    #expect(data.record.partialName == ".b.partial")
    #expect(data.identity == identity)
    #expect(throws: ResumeDataError.unsafePath(name: "partialName")) { try data.recordPartial(path: "/etc/passwd") }
    #expect(data.partialURL.path == "/var/.b.partial")
    #expect(try ResumeData(data.encoded) == data)
  }

  @Test(
    "What of a partial file counts depends on how it was left",
    arguments: [
      // partial, boot, closed, trusted
      (400, "boot-1", true, 400), (500, "boot-1", true, 400), (350, "boot-1", true, 350),
      (500, "boot-1", false, 500), (1500, "boot-1", false, 1500), (350, "boot-1", false, 350),
      (500, "boot-2", true, 300), (500, "boot-2", false, 300), (200, "boot-2", false, 200),
      (500, "", true, 300), (-1, "boot-1", true, 0),
    ] as [(Int64, String, Bool, Int64)])
  func trustedLength(partial: Int64, boot: String, isClosed: Bool, expected: Int64) throws {
    var data = try sampleResumeData()
    data.recordClosed(isClosed)
    #expect(data.trustedLength(partialLength: partial, bootIdentifier: boot) == expected)
  }

  @Test("A fresh request takes the place of the old one, and the validators stay")
  func replacingRequest() throws {
    let data = try sampleResumeData()
    var request = URLRequest(url: try #require(URL(string: "http://other.example.com/f?sig=2")))
    for name in ["Range", "If-Range", "If-None-Match"] { request.setValue("x", forHTTPHeaderField: name) }
    request.setValue("2", forHTTPHeaderField: "X-Token")
    let replaced = try data.replacingRequest(request)
    #expect(replaced.urlString == "http://other.example.com/f?sig=2")
    #expect(replaced.url.absoluteString == replaced.urlString)
    #expect(replaced.headers == ["X-Token": "2"])
    #expect(replaced.lastURL == nil)
    #expect(replaced.resumePoint == data.resumePoint)
    #expect(replaced.identity == data.identity)
    #expect(replaced.request.url == request.url)
    #expect(replaced.request.value(forHTTPHeaderField: "X-Token") == "2")
    #expect(try ResumeData(replaced.encoded) == replaced)
  }

  @Test("A request that resume data cannot hold is refused")
  func badReplacement() throws {
    let data = try sampleResumeData()
    var request = URLRequest(url: try #require(URL(string: "ftp://example.com/f")))
    #expect(throws: ResumeDataError.unsupportedScheme("ftp")) { try data.replacingRequest(request) }
    request.url = URL(string: "https://example.com/f")
    request.httpMethod = "POST"
    #expect(throws: ResumeDataError.unsupportedMethod("POST")) { try data.replacingRequest(request) }
    request.httpMethod = "GET"
    request.httpBody = Data([1])
    #expect(throws: ResumeDataError.requestHasBody) { try data.replacingRequest(request) }
    request.httpBody = nil
    request.url = nil
    #expect(throws: ResumeDataError.missingField(name: "url")) { try data.replacingRequest(request) }
    request.url = URL(string: "https://example.com/f")
    for index in 0..<300 { request.setValue("x", forHTTPHeaderField: "X-\(index)") }
    #expect(throws: ResumeDataError.tooLarge) { try data.replacingRequest(request) }
  }

  @Test("The largest values that are taken also fit in the encoded form")
  func largestValues() throws {
    let quotes = String(repeating: "\"", count: ResumeDataRecord.maximumHeaderByteCount - 1)
    let long = "https://h/" + String(repeating: "x", count: ResumeDataRecord.maximumURLByteCount - 10)
    var request = URLRequest(url: try #require(URL(string: long)))
    request.setValue(quotes, forHTTPHeaderField: "X")
    var data = try ResumeData(
      request: RequestParts(request), identity: UUID(),
      partialPath: "/" + String(repeating: "d/", count: 2000) + "a.partial",
      createdAt: Date(), destinationPath: "/" + String(repeating: "\"/", count: 2000) + "\"")
    try data.recordResponse(
      validators: Validators(entityTag: String(repeating: "\"", count: 4096)), total: nil, contentCoding: nil,
      lastURL: long)
    #expect(data.encoded.count <= ResumeData.maximumByteCount)
    #expect(try ResumeData(data.encoded) == data)
  }

  @Test("Every error has a sentence of its own that tells no secrets")
  func errorTexts() {
    let errors: [ResumeDataError] = [
      .notResumeData, .unsupportedVersion(2), .tooLarge, .missingField(name: "url"), .invalidField(name: "url"),
      .numberOutOfRange(name: "offset"), .unsafePath(name: "partialPath"), .unsupportedScheme("ftp"),
      .unsupportedMethod("POST"), .requestHasBody,
    ]
    let texts = Set(errors.map(\.localizedDescription))
    #expect(texts.count == errors.count)
    #expect(texts.allSatisfy { $0.hasSuffix(".") })
    #expect(ResumeDataError.tooLarge.localizedDescription == "\(ResumeDataError.tooLarge)")
    #expect(
      ResumeDataError.method("X\r\n\u{1B}" + String(repeating: "y", count: 99)) == .unsupportedMethod("Xyyyyyyyyyyyy"))
  }
}
