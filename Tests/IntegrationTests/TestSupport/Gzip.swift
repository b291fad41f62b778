import Foundation

/// Bytes in stored blocks of gzip (RFC 1951 section 3.2.4, RFC 1952 section 2.3).
func gzipped(_ bytes: Data) -> Data {
  var result = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
  var rest = bytes
  repeat {
    let block = rest.prefix(0xFFFF)
    rest = rest.dropFirst(0xFFFF)
    let count = UInt16(block.count)
    result.append(rest.isEmpty ? 1 : 0)
    withUnsafeBytes(of: (count.littleEndian, (~count).littleEndian)) { result.append(contentsOf: $0) }
    result.append(block)
  } while !rest.isEmpty
  let ends = (checksum(of: bytes).littleEndian, UInt32(bytes.count).littleEndian)
  withUnsafeBytes(of: ends) { result.append(contentsOf: $0) }
  return result
}

private let checksumTable: [UInt32] = (0..<256).map { index in
  (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
}

private func checksum(of bytes: Data) -> UInt32 {
  ~bytes.reduce(UInt32.max) { $0 >> 8 ^ checksumTable[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
}
