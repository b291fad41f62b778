import Foundation

extension UUID {
  /// A random identifier (RFC 9562 section 5.4), without the three system calls on /dev/urandom that `UUID()` makes.
  static func random() -> UUID {
    var generator = SystemRandomNumberGenerator()
    let (high, low) = (generator.next(), generator.next())
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: high >> (8 * $0)) }
    let rest = (0..<8).map { UInt8(truncatingIfNeeded: low >> (8 * $0)) }
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6] & 0x0F | 0x40, bytes[7],
        rest[0] & 0x3F | 0x80, rest[1], rest[2], rest[3], rest[4], rest[5], rest[6], rest[7]
      ))
  }
}
