import Foundation
import FoundationNetworking

/// Names for files, from text that a server or a stranger has chosen.
enum FileName {
  /// When there is nothing to make a name from.
  static let fallback = "download"
  /// Leaves room for the hidden names of what is not complete, within the 255 bytes of a file name.
  private static let maximumBytes = 180

  /// The last part of the URL's path, if it can safely name a file.
  static func from(_ url: URL) -> String? {
    let path = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedPath ?? ""
    let last = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    return String(last).removingPercentEncoding.flatMap { isSafe($0) ? $0 : nil }
  }

  /// Nothing hidden, nothing like an option, no slash in disguise, no control characters, and not too long.
  static func isSafe(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= maximumBytes && !name.hasPrefix(".") && !name.hasPrefix("-")
      && !name.utf8.contains(UInt8(ascii: "/"))
      && !name.unicodeScalars.contains { scalar in
        let category = scalar.properties.generalCategory
        return category == .control || category == .format || category == .lineSeparator
          || category == .paragraphSeparator
      }
  }

  /// `name (2).ext` for the second one of that name.
  static func numbered(_ name: String, _ number: Int) -> String {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "\(name) (\(number))" }
    return "\(name[..<dot]) (\(number))\(name[dot...])"
  }

  /// The name that an answer suggests: Content-Disposition (RFC 6266), then the URL that was asked for, then the one
  /// that a redirect led to. The response has made its suggestion safe already.
  static func suggested(asked url: URL, response: HTTPURLResponse?) -> String {
    let suggestion = response?.suggestedFilename.flatMap { isSafe($0) ? $0 : nil }
    let disposition = response?.value(forHTTPHeaderField: "Content-Disposition")?.lowercased() ?? ""
    if disposition.contains("filename"), let suggestion { return suggestion }
    return from(url) ?? suggestion ?? fallback
  }
}
