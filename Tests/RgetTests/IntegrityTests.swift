import Foundation
import TestSupport
import Testing

@testable import rget

@Suite(.timeLimit(.minutes(1)))
struct IntegrityTests {
  // FIPS 180-4's example message "abc".
  private static let abc256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  private static let abc512 =
    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"

  private static func checksum(_ digest: Digest, _ text: String) throws -> Checksum {
    Checksum(digest, try #require(Digest.bytes(hexadecimal: text)))
  }

  @Test("The values are those of the standard")
  func values() {
    #expect(Digest.hexadecimal(Digest.sha256.hash(of: Data("abc".utf8))) == Self.abc256)
    #expect(Digest.hexadecimal(Digest.sha512.hash(of: Data("abc".utf8))) == Self.abc512)
    #expect(Digest.bytes(hexadecimal: "0") == nil)
    #expect(Digest.bytes(hexadecimal: "0g") == nil)
    #expect(Digest.bytes(hexadecimal: "٣٣") == nil)
  }

  @Test("A file is read once for both values, and a wrong one is told")
  func file() async throws {
    let folder = try TemporaryFolder("hash")
    let path = try folder.write(Data("abc".utf8), to: "f")
    let right = [try Self.checksum(.sha256, Self.abc256), try Self.checksum(.sha512, Self.abc512)]
    #expect(try await Verification.verify(path, Set(right), isCancelled: { false }) == .right)
    #expect(try await Verification.verify(path, [], isCancelled: { true }) == .right)
    #expect(try await Verification.verify(path, Set(right), isCancelled: { true }) == .stopped)
    let zeros = String(repeating: "0", count: 64)
    let wrong = try Self.checksum(.sha256, zeros)
    let verdict = try await Verification.verify(path, [wrong, right[1]], isCancelled: { false })
    #expect(verdict == .wrong("its sha256 is \(Self.abc256), not \(zeros)"))
    await #expect(throws: Failure.self) {
      try await Verification.verify(folder.path("none"), [wrong], isCancelled: { false })
    }
  }

  @Test("Lists of checksums are read in all forms")
  func list() throws {
    let text = """
      # made by hand
      \(Self.abc256)  a.txt
      \(Self.abc256.uppercased()) *./d/b c.txt

      \(Self.abc512)  e
      SHA256 (f (1).txt) = \(Self.abc256)
      """
    let list = try ChecksumList(text, source: "S")
    let short = try Self.checksum(.sha256, Self.abc256)
    let long = try Self.checksum(.sha512, Self.abc512)
    #expect(list.checksums == ["a.txt": short, "b c.txt": short, "e": long, "f (1).txt": short])
  }

  @Test(
    "What is no list of checksums is refused", arguments: ["", "x", abc256, abc256 + "  ", "MD5 (x) = 00", "00  x"])
  func noList(text: String) {
    #expect(throws: UsageError.self) { try ChecksumList(text, source: "S") }
  }

  @Test(
    "The server's digests of the whole file count, the strongest of each field",
    arguments: [
      (200, ["Repr-Digest": "sha-256=:\(base64(256)):"], [256]),
      (206, ["Repr-Digest": "sha-256=:\(base64(256)):, sha-512=:\(base64(512)):;x=1"], [512]),
      (200, ["Repr-Digest": "md5=:AAAA:, SHA-256=:\(base64(256)):"], [256]),
      (200, ["Repr-Digest": "sha-256=\(base64(256))"], []), (200, ["Repr-Digest": "sha-256=:AAAA:"], []),
      (200, ["Digest": "SHA-256=\(base64(256)),md5=AAAA"], [256]), (206, ["Digest": "sha-512=\(base64(512))"], [512]),
      (200, ["Content-Digest": "sha-256=:\(base64(256)):"], [256]),
      (206, ["Content-Digest": "sha-256=:\(base64(256)):"], []),
      (404, ["Repr-Digest": "sha-256=:\(base64(256)):"], []),
      (200, ["Repr-Digest": "sha-256=:\(base64(256)):", "Content-Encoding": "gzip"], []),
      (200, ["Repr-Digest": "sha-256=:\(base64(256)):", "Digest": "sha-512=\(base64(512))"], [256, 512]),
      (200, ["Repr-Digest": ",=,sha-256=,:::"], []), (200, [:], []),
    ] as [(Int, [String: String], [Int])])
  func server(status: Int, fields: [String: String], expected: [Int]) {
    let found = ServerDigests.checksums(status: status) { fields[$0] }
    #expect(found.map { $0.digest.length * 8 }.sorted() == expected)
  }

  private static func base64(_ bits: Int) -> String {
    (bits == 256 ? Digest.sha256 : .sha512).hash(of: Data("abc".utf8)).base64EncodedString()
  }
}
