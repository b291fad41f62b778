import Foundation
import TestSupport
import Testing

@testable import ResumableDownloads

/// Blobs of Apple's systems, made here from the keys that they are known to have.
@Suite(.timeLimit(.minutes(1)))
struct AppleResumeDataTests {
  private static let entries: [String: any Sendable] = [
    "NSURLSessionResumeInfoVersion": 4,
    "NSURLSessionDownloadURL": "http://h.test/f?a=1&b=é",
    "NSURLSessionResumeBytesReceived": 70_000,
    "NSURLSessionResumeInfoTempFileName": "CFNetworkDownload_abc.tmp",
    "NSURLSessionResumeEntityTag": "\"a1\"",
    "NSURLSessionResumeServerDownloadDate": "Mon, 01 Jan 2024 10:00:00 GMT",
    "NSURLSessionResumeOriginalRequest": Data([1, 2, 3]),
  ]

  private static func list(_ format: PropertyListSerialization.PropertyListFormat, _ entries: [String: Any] = entries)
    throws -> Data
  {
    try PropertyListSerialization.data(fromPropertyList: entries, format: format, options: 0)
  }

  private static func archive(_ key: String) -> Data {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.encode(NSDictionary(dictionary: entries), forKey: key)
    return archiver.encodedData
  }

  private func expectWhole(_ blob: Data) throws {
    let read = try AppleResumeData(blob)
    #expect(read.url == "http://h.test/f?a=1&b=é")
    #expect(read.byteCount == 70_000)
    #expect(read.entityTag == "\"a1\"")
    #expect(read.lastModified == "Mon, 01 Jan 2024 10:00:00 GMT")
    #expect(read.partialName == "CFNetworkDownload_abc.tmp")
  }

  @Test("A property list is read, XML or binary")
  func lists() throws {
    try expectWhole(try Self.list(.xml))
    try expectWhole(try Self.list(.binary))
  }

  @Test("A keyed archive is read, under either name of its root", arguments: ["NSKeyedArchiveRootObjectKey", "root"])
  func archives(key: String) throws {
    try expectWhole(Self.archive(key))
  }

  @Test("What is missing is missing, and only the address has to be there")
  func parts() throws {
    let read = try AppleResumeData(try Self.list(.binary, ["NSURLSessionDownloadURL": "http://h.test/f"]))
    #expect(read.entityTag == nil && read.lastModified == nil && read.byteCount == nil && read.partialName == nil)
    #expect(throws: ResumeDataError.missingField(name: "NSURLSessionDownloadURL")) {
      try AppleResumeData(try Self.list(.xml, ["NSURLSessionResumeBytesReceived": 1]))
    }
    let odd: [String: Any] = [
      "NSURLSessionDownloadURL": "http://h.test/f", "NSURLSessionResumeBytesReceived": -1,
      "NSURLSessionResumeEntityTag": "\"a\r\nX: y\"", "NSURLSessionResumeInfoLocalPath": "/private/../etc/passwd",
    ]
    let tamed = try AppleResumeData(try Self.list(.binary, odd))
    #expect(tamed.entityTag == nil && tamed.byteCount == nil && tamed.partialName == "passwd")
  }

  @Test(
    "Other data is refused",
    arguments: ["", "x", "bplist00", "<plist></plist>", "{}", "(", "bplist00" + String(repeating: "\0", count: 40)])
  func foreign(text: String) {
    #expect(throws: ResumeDataError.self) { try AppleResumeData(Data(text.utf8)) }
  }

  @Test("Data that is too large, too deep or names one object too often is refused")
  func bounds() {
    #expect(throws: ResumeDataError.tooLarge) { try AppleResumeData(Data(count: AppleResumeData.maximumByteCount + 1)) }
    // 0: an array of 250 times object 1, which is an array of 250 times object 2, and so on.
    var objects = Data("bplist00".utf8)
    var offsets: [UInt16] = []
    for number in 0..<8 {
      offsets.append(UInt16(objects.count))
      objects.append(contentsOf: [0xAF, 0x10, 250])
      objects.append(contentsOf: [UInt8](repeating: UInt8(number + 1), count: 250))
    }
    offsets.append(UInt16(objects.count))
    objects.append(0x50)
    let table = UInt64(objects.count)
    for offset in offsets { withUnsafeBytes(of: offset.bigEndian) { objects.append(contentsOf: $0) } }
    objects.append(contentsOf: [0, 0, 0, 0, 0, 0, 2, 1])
    for number in [UInt64(offsets.count), 0, table] {
      withUnsafeBytes(of: number.bigEndian) { objects.append(contentsOf: $0) }
    }
    #expect(PropertyListValue(objects) == nil)
  }

  @Test("Damaged data never traps", arguments: [0, 1, 2])
  func damaged(shape: Int) throws {
    let blob = shape == 0 ? Self.archive("root") : try Self.list(shape == 1 ? .binary : .xml)
    var generator = SeededGenerator(seed: 42 + UInt64(shape))
    for _ in 0..<3000 { _ = try? AppleResumeData(Data(generator.mutation(of: Array(blob)))) }
  }
}
