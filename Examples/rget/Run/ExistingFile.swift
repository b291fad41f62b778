import Foundation
import FoundationNetworking

/// A complete file that is there already, and whether it is the one that the server has.
struct ExistingFile: Equatable, Sendable {
  enum Verdict: Equatable, Sendable {
    case same
    case different
    /// The server tells neither length nor date.
    case unknown
  }

  var size: Int64
  var modified: Date

  init(size: Int64, modified: Date) {
    (self.size, self.modified) = (size, modified)
  }

  /// Nil if there is nothing at that path.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      // A link that leads nowhere is something, too.
      guard lstat(path, &status) == 0 else { return nil }
      self.init(size: -1, modified: .distantPast)
      return
    }
    let isFile = status.st_mode & S_IFMT == S_IFREG
    self.init(
      size: isFile ? Int64(status.st_size) : -1, modified: Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec)))
  }

  /// The same length, and not changed on the server since the time of the file, which is that of its Last-Modified.
  func verdict(length: Int64?, lastModified: Date?) -> Verdict {
    if let length, length != size { return .different }
    if let lastModified { return lastModified <= modified ? .same : .different }
    return length == nil ? .unknown : .same
  }

  /// Compares with an answer about the whole file, or about a part of it that names the whole length.
  func verdict(_ response: HTTPURLResponse) -> Verdict {
    verdict(
      length: Self.wholeLength(response),
      lastModified: HTTPTime.date(response.value(forHTTPHeaderField: "Last-Modified")))
  }

  private static func wholeLength(_ response: HTTPURLResponse) -> Int64? {
    if response.statusCode == 206 {
      let range = response.value(forHTTPHeaderField: "Content-Range") ?? ""
      return range.split(separator: "/").last.flatMap { Int64($0) }
    }
    guard response.value(forHTTPHeaderField: "Content-Encoding") == nil else { return nil }
    return response.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
  }
}
