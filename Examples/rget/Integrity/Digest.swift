import CCrypto
import Foundation

/// A hash function of libcrypto, which uses what the processor has for it.
enum Digest: String, CaseIterable, Sendable {
  case sha256
  case sha512

  /// Bytes of a value.
  var length: Int { self == .sha256 ? 32 : 64 }

  /// As in `sha-256`, the name in HTTP (RFC 9530, section 5).
  var httpName: String { self == .sha256 ? "sha-256" : "sha-512" }

  fileprivate var function: OpaquePointer? { self == .sha256 ? EVP_sha256() : EVP_sha512() }

  /// The value of bytes in memory.
  func hash(of data: Data) -> Data {
    var context = HashContext(self)
    data.withUnsafeBytes { context.update($0) }
    return context.finish()
  }

  static func hexadecimal(_ data: Data) -> String {
    data.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }

  /// The bytes that an even number of hexadecimal digits stands for.
  static func bytes(hexadecimal text: some StringProtocol) -> Data? {
    let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    return Data(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
  }
}

/// One computation in progress.
struct HashContext: ~Copyable {
  private let digest: Digest
  private let context: OpaquePointer?
  private var isIntact: Bool

  init(_ digest: Digest) {
    self.digest = digest
    context = EVP_MD_CTX_new()
    isIntact = context != nil && EVP_DigestInit_ex(context, digest.function, nil) == 1
  }

  deinit { EVP_MD_CTX_free(context) }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    isIntact = isIntact && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
  }

  /// The value; empty, which equals no value, if libcrypto has failed.
  consuming func finish() -> Data {
    var value = [UInt8](repeating: 0, count: digest.length)
    guard isIntact, EVP_DigestFinal_ex(context, &value, nil) == 1 else { return Data() }
    return Data(value)
  }
}
