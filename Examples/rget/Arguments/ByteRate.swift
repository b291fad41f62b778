/// What `--limit-rate` says.
enum ByteRate {
  /// Reads bytes a second, as in `500K` or `1.5M`.
  static func parse(_ text: String) throws(UsageError) -> Int64 {
    let units: [Character: Double] = ["K": 1024, "M": 1_048_576, "G": 1_073_741_824]
    let unit = text.last.flatMap { units[Character($0.uppercased())] }
    let digits = unit == nil ? text[...] : text.dropLast()
    let isPlain = digits.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard isPlain, let number = Double(digits), case let rate = number * (unit ?? 1), (1...1e15).contains(rate) else {
      throw UsageError(reason: "--limit-rate needs bytes a second, as in 500K or 1.5M, not \(text)")
    }
    return Int64(rate)
  }
}
