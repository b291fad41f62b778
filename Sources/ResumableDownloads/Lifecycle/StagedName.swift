/// Names of partials that lie hidden beside their destination.
enum StagedName {
  /// Room for the hash and the endings within the 255 bytes of a file name.
  private static let maximumNameBytes = 200

  /// The same for the same address and destination name, so that a later process finds the partial again.
  static func stem(destinationName: String, url: String) -> String {
    var name = destinationName
    while name.utf8.count > maximumNameBytes { name.removeLast() }
    return ".\(name).\(hash(url + "\u{0}" + destinationName))"
  }

  /// FNV-1a, 64 bits: it names a file, and the journal inside decides whose the file is.
  private static func hash(_ text: String) -> String {
    var value: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 {
      value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
