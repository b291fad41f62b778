import Foundation
import FoundationNetworking
import Testing

@testable import ResumableDownloads

@Suite("Records of tasks", .timeLimit(.minutes(1)))
struct TaskRecordTests {
  private func sample() throws -> TaskRecord {
    let url = try #require(URL(string: "https://example.com/a?b=%2F"))
    var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 2.5)
    request.httpMethod = "POST"
    request.setValue("1", forHTTPHeaderField: "X-One")
    request.httpShouldHandleCookies = false
    var record = TaskRecord(
      identifier: 1_000_001, request: RecordedRequest(request, body: Data([0, 255])),
      partialStem: UUID().uuidString.lowercased())
    record.state = .running
    record.destination = .init(path: "/tmp/file", replacesExisting: true)
    record.validatesStatus = true
    record.description = "text with \u{0} and \u{1F600}"
    record.priority = 0.3
    record.beginTime = 5e9 + 0.125
    record.response = .init(
      url: url.absoluteString, status: 206, version: "HTTP/1.1", fields: [HeaderField(name: "ETag", value: "\"a\"")])
    record.finished = .init(inode: .max, size: .max, modified: 1.5)
    record.isHandedOver = true
    record.resumeData = try sampleResumeData().encoded
    return record
  }

  @Test("What is written is read again, every field of it")
  func roundTrip() throws {
    let record = try sample()
    #expect(try TaskRecord(record.encoded()) == record)
    let minimal = TaskRecord(
      identifier: 1, request: RecordedRequest(URLRequest(url: try record.validated()), body: nil),
      partialStem: record.partialStem)
    #expect(try TaskRecord(minimal.encoded()) == minimal)
  }

  @Test("A request comes back with all its parts")
  func request() throws {
    let record = try sample()
    let request = record.request.request(try record.validated())
    #expect(RecordedRequest(request, body: request.httpBody) == record.request)
    #expect(request.httpBody == Data([0, 255]))
    #expect(request.cachePolicy == .reloadIgnoringLocalCacheData)
  }

  @Test(
    "Each field is checked",
    arguments: [
      ("format", "\"ResumableDownloads.ResumeData\""), ("format", nil), ("version", "2"), ("version", "\"1\""),
      ("version", nil), ("identifier", "0"), ("identifier", "-1"), ("identifier", "9223372036854775807"),
      ("identifier", "1e99"), ("identifier", nil), ("state", "\"flying\""), ("state", nil),
      ("partialStem", "\"../../etc/passwd\""), ("partialStem", "\"\""), ("partialStem", nil),
      ("partialStem", "\"A3C1F0BE-0000-4000-8000-000000000000\""), ("request", nil), ("request", "{}"),
      ("resumeData", "\"\""), ("resumeData", "\"e30=\""), ("resumeData", "1"),
      ("destination", "{\"path\":\"relative\",\"replacesExisting\":true}"),
      ("destination", "{\"path\":\"/a/../b\",\"replacesExisting\":true}"), ("priority", "1e99"),
      ("priority", "\"high\""), ("beginTime", "1e999"), ("isHandedOver", "2"),
      ("response", "{\"url\":\"\",\"status\":99,\"version\":\"\",\"fields\":[]}"),
      ("response", "{\"url\":\"\",\"status\":200,\"version\":\"\",\"fields\":[{\"name\":\"a\",\"value\":\"\\r\\n\"}]}"),
      ("finished", "{\"inode\":1,\"size\":-1,\"modified\":0}"),
      ("finished", "{\"inode\":-1,\"size\":1,\"modified\":0}"),
    ] as [(String, String?)])
  func fields(field: String, fragment: String?) throws {
    #expect(throws: ResumeDataError.self) { try TaskRecord(edited(try sample().encoded(), field, fragment)) }
  }

  @Test(
    "Each part of the request is checked",
    arguments: [
      ("url", "\"file:///etc/passwd\""), ("url", "\"\""), ("method", "\"A B\""), ("method", "\"\""),
      ("headers", "[{\"name\":\"a b\",\"value\":\"\"}]"), ("timeout", "-1"), ("timeout", "1e999"),
      ("cachePolicy", "-1"), ("body", "\"?\""), ("handlesCookies", nil),
    ] as [(String, String?)])
  func request(field: String, fragment: String?) throws {
    let encoder = JSONEncoder()
    let request = edited(try encoder.encode(try sample().request), field, fragment)
    let data = edited(try sample().encoded(), "request", String(decoding: request, as: UTF8.self))
    #expect(throws: ResumeDataError.self) { try TaskRecord(data) }
  }

  @Test("Every beginning of a record and every changed byte is an error or a valid record")
  func damage() throws {
    let data = try sample().encoded()
    for count in 0..<data.count { #expect(throws: ResumeDataError.self) { try TaskRecord(data.prefix(count)) } }
    for index in data.indices {
      var changed = data
      changed[index] ^= 0x15
      if let record = try? TaskRecord(changed) { _ = try record.validated() }
    }
    for hostile in [String(repeating: "{\"a\":", count: 50_000), "{\"format\":", "[]", "null"] {
      #expect(throws: ResumeDataError.self) { try TaskRecord(Data(hostile.utf8)) }
    }
  }

  @Test("A body beyond the limit is refused")
  func largeBody() throws {
    var record = try sample()
    record.request.body = Data(count: RecordedRequest.maximumBodyByteCount)
    #expect(try TaskRecord(record.encoded()) == record)
    record.request.body = Data(count: RecordedRequest.maximumBodyByteCount + 1)
    #expect(throws: ResumeDataError.tooLarge) { try record.validated() }
  }

  /// JSON with one field replaced by a fragment, or removed.
  private func edited(_ data: Data, _ field: String, _ fragment: String?) -> Data {
    var object = (try? JSONSerialization.jsonObject(with: data) as? [String: Any]) ?? [:]
    object[field] = nil
    let rest = String(decoding: (try? JSONSerialization.data(withJSONObject: object)) ?? Data(), as: UTF8.self)
    guard let fragment else { return Data(rest.utf8) }
    return Data("{\"\(field)\":\(fragment),\(rest.dropFirst())".utf8)
  }
}
