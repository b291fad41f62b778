import Foundation

extension UUID {
  /// A random identifier (RFC 9562 section 5.4), without the three system calls on /dev/urandom that `UUID()` makes.
  static func random() -> UUID {
    var generator = SystemRandomNumberGenerator()
    let (high, low) = (generator.next(), generator.next())
    func byte(_ word: UInt64, _ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: word >> (8 * index)) }
    return UUID(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
        byte(high, 6) & 0x0F | 0x40, byte(high, 7), byte(low, 0) & 0x3F | 0x80, byte(low, 1), byte(low, 2),
        byte(low, 3), byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
      ))
  }

  /// The text in small letters, as it is used for names of files.
  var name: String {
    let digits = Array("0123456789abcdef".utf8)
    return withUnsafeBytes(of: uuid) { bytes in
      String(unsafeUninitializedCapacity: 36) { text in
        var count = 0
        for (index, byte) in bytes.enumerated() {
          if [4, 6, 8, 10].contains(index) {
            text[count] = UInt8(ascii: "-")
            count += 1
          }
          text[count] = digits[Int(byte >> 4)]
          text[count + 1] = digits[Int(byte & 0x0F)]
          count += 2
        }
        return count
      }
    }
  }
}
