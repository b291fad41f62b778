/// A short name for a long text.
enum NameHash {
  /// FNV-1a, 64 bits, as 16 digits: it names a file, and what lies inside decides whose the file is.
  static func hexadecimal(_ text: String) -> String {
    var value: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 {
      value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
