internal import Foundation

/// A file name for an answer: always one safe component (RFC 6266 sections 4.3 and 5).
enum SuggestedFilename {
  /// Leaves room for the endings of partial files within 255 bytes.
  private static let maximumBytes = 200

  static func make(contentDisposition: String?, urlString: String) -> String {
    let given = contentDisposition.flatMap(name(inDisposition:))
    return safe(given ?? "") ?? safe(lastComponent(of: urlString)) ?? "download"
  }

  /// One component without anything that a file system or a terminal could take otherwise; `nil` when nothing is left.
  static func safe(_ text: String) -> String? {
    let last = text.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? ""
    var name = String(String.UnicodeScalarView(last.unicodeScalars.filter(isHarmless)))
    name = name.trimmingCharacters(in: .whitespaces)
    guard name.contains(where: { $0 != "." }) else { return nil }
    if name.hasPrefix(".") { name = "_" + name.drop { $0 == "." } }
    return shortened(name)
  }

  /// No controls and nothing that changes the direction of text.
  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }

  /// Cut on a character's edge, the extension kept.
  private static func shortened(_ name: String) -> String {
    guard name.utf8.count > maximumBytes else { return name }
    var ending = ""
    if let dot = name.lastIndex(of: "."), name[dot...].utf8.count <= 16 { ending = String(name[dot...]) }
    var base = String(name.dropLast(ending.count))
    while base.utf8.count + ending.utf8.count > maximumBytes, !base.isEmpty { base.removeLast() }
    return base + ending
  }

  private static func lastComponent(of urlString: String) -> String {
    let path = urlString.prefix { $0 != "?" && $0 != "#" }
    let afterScheme = path.range(of: "://").map { path[$0.upperBound...] } ?? path
    guard let slash = afterScheme.lastIndex(of: "/") else { return "" }
    let last = String(afterScheme[afterScheme.index(after: slash)...])
    return last.removingPercentEncoding ?? last
  }

  /// `filename*` before `filename`.
  private static func name(inDisposition text: String) -> String? {
    let parameters = parameters(of: text)
    if let extended = parameters["filename*"].flatMap(decodeExtended), !extended.isEmpty { return extended }
    return parameters["filename"]
  }

  /// The parameters after the type, names in lower case, quoted strings opened.
  private static func parameters(of text: String) -> [String: String] {
    var result: [String: String] = [:]
    var rest = Substring(text.prefix(8192))
    while let semicolon = rest.firstIndex(of: ";") {
      rest = rest[rest.index(after: semicolon)...]
      guard let equals = rest.firstIndex(where: { $0 == "=" || $0 == ";" }), rest[equals] == "=" else { continue }
      let name = StrictNumber.trimmed(rest[..<equals]).lowercased()
      rest = rest[rest.index(after: equals)...].drop { $0 == " " || $0 == "\t" }
      let value = rest.first == "\"" ? quoted(&rest) : StrictNumber.trimmed(rest.prefix { $0 != ";" })
      result[name] = result[name] ?? value
    }
    return result
  }

  private static func quoted(_ rest: inout Substring) -> String {
    var value = ""
    rest.removeFirst()
    while let character = rest.popFirst(), character != "\"" {
      if character == "\\", let escaped = rest.first, escaped == "\"" || escaped == "\\" {
        value.append(escaped)
        rest.removeFirst()
      } else {
        value.append(character)
      }
    }
    return value
  }

  /// `charset'language'percent-encoded` (RFC 8187 section 3.2.1).
  private static func decodeExtended(_ text: String) -> String? {
    let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    if parts[0].lowercased() == "utf-8" { return String(parts[2]).removingPercentEncoding }
    guard parts[0].lowercased() == "iso-8859-1" else { return nil }
    return String(String.UnicodeScalarView(percentDecoded(parts[2]).map { Unicode.Scalar($0) }))
  }

  private static func percentDecoded(_ text: Substring) -> [UInt8] {
    var result: [UInt8] = []
    var bytes = Array(text.utf8)[...]
    while let byte = bytes.popFirst() {
      if byte == UInt8(ascii: "%"), bytes.count >= 2,
        let value = UInt8(String(decoding: bytes.prefix(2), as: UTF8.self), radix: 16)
      {
        result.append(value)
        bytes = bytes.dropFirst(2)
      } else {
        result.append(byte)
      }
    }
    return result
  }
}
