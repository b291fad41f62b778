import Foundation

/// A property list as a value, with the object references of keyed archives.
indirect enum PropertyListValue: Sendable, Equatable {
  case string(String)
  case data(Data)
  case integer(Int64)
  case array([PropertyListValue])
  case dictionary([String: PropertyListValue])
  /// A reference to another object of a keyed archive.
  case reference(Int)
  /// Dates, floating-point numbers, flags: nothing that resume data needs.
  case other

  /// Reads the XML, binary or old text form; `nil` for what is none of them.
  init?(_ data: Data) {
    if data.starts(with: BinaryPropertyList.magic) {
      guard let value = BinaryPropertyList.read(Array(data)) else { return nil }
      self = value
    } else {
      // Foundation's reader of the binary form runs past the end of hostile data; that of the text forms does not.
      guard let list = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil),
        let value = Self(list, depth: 0)
      else { return nil }
      self = value
    }
  }

  /// Takes what Foundation has read; deeper nesting than resume data can have is refused.
  private init?(_ object: Any, depth: Int) {
    guard depth < BinaryPropertyList.maximumDepth else { return nil }
    switch object {
    case let text as String: self = .string(text)
    case let data as Data: self = .data(data)
    case let number as Int64: self = .integer(number)
    case let list as [Any]: self = .array(list.compactMap { Self($0, depth: depth + 1) })
    case let entries as [String: Any]: self = .dictionary(entries.compactMapValues { Self($0, depth: depth + 1) })
    default: self = .other
    }
  }

  var text: String? { if case .string(let text) = self { text } else { nil } }
  var number: Int64? { if case .integer(let number) = self { number } else { nil } }
  var entries: [String: PropertyListValue]? { if case .dictionary(let entries) = self { entries } else { nil } }
  var elements: [PropertyListValue]? { if case .array(let elements) = self { elements } else { nil } }
}

/// A reader of the binary form (`bplist00`) that is bounded in depth and work, whatever the data says of itself.
struct BinaryPropertyList {
  static let magic = Data("bplist00".utf8)
  static let maximumDepth = 32
  /// An object may be named many times; each time counts, so that few bytes cannot stand for very many objects.
  private static let maximumObjects = 20_000
  private static let trailerLength = 32

  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let count: Int
  private let table: Int
  private var budget = Self.maximumObjects

  static func read(_ bytes: [UInt8]) -> PropertyListValue? {
    guard bytes.count >= magic.count + trailerLength else { return nil }
    let trailer = bytes.count - trailerLength
    guard let count = integer(bytes, trailer + 8, 8), let top = integer(bytes, trailer + 16, 8),
      let table = integer(bytes, trailer + 24, 8)
    else { return nil }
    let sizes = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
    guard (1...8).contains(sizes.0), (1...8).contains(sizes.1), (1...maximumObjects).contains(count),
      table <= trailer, (trailer - table) / sizes.0 >= count
    else { return nil }
    var reader = BinaryPropertyList(
      bytes: bytes, offsetSize: sizes.0, referenceSize: sizes.1, count: count, table: table)
    return reader.object(top, depth: 0)
  }

  /// A big-endian number that has to be there and fit.
  private static func integer(_ bytes: [UInt8], _ start: Int, _ size: Int) -> Int? {
    guard start >= 0, size <= 8, start <= bytes.count - size else { return nil }
    var value: UInt64 = 0
    for index in start..<start + size { value = value << 8 | UInt64(bytes[index]) }
    return Int(exactly: value)
  }

  private mutating func object(_ number: Int, depth: Int) -> PropertyListValue? {
    budget -= 1
    guard budget > 0, depth < Self.maximumDepth, (0..<count).contains(number),
      let offset = Self.integer(bytes, table + number * offsetSize, offsetSize),
      offset >= Self.magic.count, offset < table
    else { return nil }
    let kind = bytes[offset] >> 4
    let low = Int(bytes[offset] & 0x0F)
    switch kind {
    case 0x1: return integerObject(at: offset + 1, size: 1 << low)
    case 0x8: return Self.integer(bytes, offset + 1, low + 1).map { .reference($0) }
    case 0x0, 0x2, 0x3: return .other
    default: break
    }
    guard let (length, start) = length(low, after: offset) else { return nil }
    switch kind {
    case 0x4: return slice(start, length).map { .data(Data($0)) }
    case 0x5: return slice(start, length).map { .string(String(decoding: $0, as: UTF8.self)) }
    case 0x6: return slice(start, length * 2).map { .string(Self.text($0)) }
    case 0xA: return array(start, length, depth)
    case 0xD: return dictionary(start, length, depth)
    default: return .other
    }
  }

  /// Integers of up to eight bytes; only those of eight are signed.
  private func integerObject(at start: Int, size: Int) -> PropertyListValue? {
    guard size <= 8, start <= table - size else { return nil }
    var value: UInt64 = 0
    for index in start..<start + size { value = value << 8 | UInt64(bytes[index]) }
    return .integer(Int64(bitPattern: value))
  }

  /// How many elements follow: in the low bits, or in an integer object behind the marker.
  private func length(_ low: Int, after offset: Int) -> (length: Int, start: Int)? {
    guard low == 0x0F else { return (low, offset + 1) }
    guard offset + 1 < table, bytes[offset + 1] >> 4 == 0x1 else { return nil }
    let size = 1 << Int(bytes[offset + 1] & 0x0F)
    guard size <= 8, let length = Self.integer(bytes, offset + 2, size), length <= bytes.count else { return nil }
    return (length, offset + 2 + size)
  }

  private func slice(_ start: Int, _ length: Int) -> ArraySlice<UInt8>? {
    guard start <= table, length <= table - start else { return nil }
    return bytes[start..<start + length]
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    return String(decoding: units, as: UTF16.self)
  }

  private mutating func array(_ start: Int, _ length: Int, _ depth: Int) -> PropertyListValue? {
    guard slice(start, length * referenceSize) != nil else { return nil }
    var result: [PropertyListValue] = []
    for index in 0..<length {
      guard let number = Self.integer(bytes, start + index * referenceSize, referenceSize),
        let value = object(number, depth: depth + 1)
      else { return nil }
      result.append(value)
    }
    return .array(result)
  }

  private mutating func dictionary(_ start: Int, _ length: Int, _ depth: Int) -> PropertyListValue? {
    guard case .array(let keys) = array(start, length, depth),
      case .array(let values) = array(start + length * referenceSize, length, depth)
    else { return nil }
    var result: [String: PropertyListValue] = [:]
    for (key, value) in zip(keys, values) {
      if let key = key.text { result[key] = value }
    }
    return .dictionary(result)
  }
}
