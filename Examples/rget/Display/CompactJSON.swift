import Foundation

/// JSON that is the same for the same value.
enum CompactJSON {
  /// One line for a value of text and integers, which have no way to fail.
  static func encode(_ value: some Encodable) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)) ?? Data("{}".utf8)
  }
}
