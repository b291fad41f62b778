public import Foundation

/// What a resource consists of: bytes in memory, or a payload that is made as it is sent.
public enum Content: Sendable {
  /// Bytes held in memory.
  case data(Data)
  /// The first `count` bytes of the payload with that seed; costs no memory whatever the size.
  case generated(seed: UInt64, count: Int64)

  /// The length in bytes.
  public var count: Int64 {
    switch self {
    case .data(let data): Int64(data.count)
    case .generated(_, let count): count
    }
  }

  /// The bytes at the offsets in `range`, cut to what exists.
  public func bytes(_ range: Range<Int64>) -> Data {
    let range = range.clamped(to: 0..<max(0, count))
    switch self {
    case .data(let data): return data.dropFirst(Int(range.lowerBound)).prefix(range.count)
    case .generated(let seed, _): return Payload.slice(seed: seed, range: range)
    }
  }
}
