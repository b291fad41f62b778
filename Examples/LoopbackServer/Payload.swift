public import Foundation

/// Deterministic bodies that never repeat, addressable by offset.
///
/// The bytes are SplitMix64 in counter mode: the mixing step is a bijection, so no aligned group of eight bytes occurs
/// twice under one seed, and any shift or splice changes the content.
public enum Payload {
  private static let wordSize: Int64 = 8
  private static let blockSize: Int64 = 256 * 1024

  /// The first `count` bytes under `seed`.
  public static func bytes(seed: UInt64, count: Int) -> Data {
    slice(seed: seed, range: 0..<Int64(max(0, count)))
  }

  /// The bytes at the offsets in `range`, which must not begin below zero.
  public static func slice(seed: UInt64, range: Range<Int64>) -> Data {
    precondition(range.lowerBound >= 0, "an offset is never negative")
    let firstWord = range.lowerBound / wordSize
    let lead = Int(range.lowerBound % wordSize)
    let words = Int((range.upperBound + wordSize - 1) / wordSize - firstWord)
    guard !range.isEmpty, words > 0 else { return Data() }
    var data = Data(count: words * Int(wordSize))
    data.withUnsafeMutableBytes { fill($0, start: mix(seed), firstWord: UInt64(firstWord)) }
    let end = lead + Int(range.upperBound - range.lowerBound)
    return lead == 0 && end == data.count ? data : Data(data[lead..<end])
  }

  /// The offset of the first byte at which the file differs from the payload, or nil if it is the payload in full.
  ///
  /// A file that is too short or too long differs at the end of the shorter of the two. The file is read in blocks.
  /// - Throws: `ServerError.system` if the file cannot be opened or read.
  public static func verify(file path: String, seed: UInt64, count: Int64) throws -> Int64? {
    try verify(file: path, content: .generated(seed: seed, count: count))
  }

  /// The same comparison with any content.
  public static func verify(file path: String, content: Content) throws -> Int64? {
    guard let stream = fopen(path, "rbe") else { throw ServerError.system(call: "fopen \(path)", code: errno) }
    defer { fclose(stream) }
    var offset: Int64 = 0
    var block = [UInt8](repeating: 0, count: Int(blockSize))
    while true {
      let size = fread(&block, 1, block.count, stream)
      if ferror(stream) != 0 { throw ServerError.system(call: "fread \(path)", code: errno) }
      let expected = content.bytes(offset..<min(offset + Int64(size), max(offset, content.count)))
      let difference = block.withUnsafeBytes { found in
        expected.withUnsafeBytes { firstDifference(UnsafeRawBufferPointer(rebasing: found[..<size]), $0) }
      }
      if let difference { return offset + Int64(difference) }
      offset += Int64(size)
      if size < block.count { return offset == content.count ? nil : offset }
    }
  }

  private static func firstDifference(_ found: UnsafeRawBufferPointer, _ expected: UnsafeRawBufferPointer) -> Int? {
    let common = min(found.count, expected.count)
    if let left = found.baseAddress, let right = expected.baseAddress, memcmp(left, right, common) != 0 {
      return zip(found, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    }
    return found.count == expected.count ? nil : common
  }

  /// Written for speed without optimisation, because tests are built that way and make gigabytes.
  private static func fill(_ buffer: UnsafeMutableRawBufferPointer, start: UInt64, firstWord: UInt64) {
    guard var word = buffer.bindMemory(to: UInt64.self).baseAddress else { return }
    let end = word + buffer.count / Int(wordSize)
    var counter = start &+ firstWord &* 0x9E37_79B9_7F4A_7C15
    while word < end {
      word.pointee = mix(counter).littleEndian
      word += 1
      counter = counter &+ 0x9E37_79B9_7F4A_7C15
    }
  }

  /// The finalizer of SplitMix64.
  private static func mix(_ value: UInt64) -> UInt64 {
    var mixed = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
