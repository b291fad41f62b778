/// Numbers in headers: digits only, no sign, no space, no overflow.
enum StrictNumber {
  static func parse(_ text: some StringProtocol) -> Int64? {
    let digits = text.utf8
    guard !digits.isEmpty, digits.count <= 19, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text)
  }

  /// Without spaces and tabs at both ends (RFC 9110 section 5.6.3).
  static func trimmed(_ text: some StringProtocol) -> String {
    var view = Substring(text)
    while let first = view.first, first == " " || first == "\t" { view.removeFirst() }
    while let last = view.last, last == " " || last == "\t" { view.removeLast() }
    return String(view)
  }
}
