public import Foundation
import Glibc
import Synchronization

/// A folder of its own for one test, removed with everything in it when the value is released, or when the process
/// exits if something still holds it then.
///
/// Its mode is 0755, because some servers read what they serve as another user.
public final class TemporaryFolder: Sendable {
  private static let remaining = Mutex<Set<String>>([])
  /// Registers once with atexit(3).
  private static let removesAtExit: Bool = {
    atexit {
      for path in TemporaryFolder.remaining.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
    } == 0
  }()

  /// The absolute path, without a slash at the end.
  public let path: String

  /// Makes a folder under the system's temporary directory, with `name` in its name.
  public init(_ name: String = "test") throws {
    let base = FileManager.default.temporaryDirectory.path
    var template = Array("\(base)/\(name).XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestSupportError.system(call: "mkdtemp \(base)", code: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    chmod(path, 0o755)
    _ = Self.removesAtExit
    Self.remaining.withLock { [path] in _ = $0.insert(path) }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    Self.remaining.withLock { [path] in _ = $0.remove(path) }
  }

  /// The folder as a URL.
  public var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

  /// The path of something in the folder.
  public func path(_ name: String) -> String { "\(path)/\(name)" }

  /// The URL of something in the folder.
  public func url(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// Writes a file into the folder and returns its path; folders in between must exist.
  @discardableResult
  public func write(_ data: Data, to name: String) throws -> String {
    try data.write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }

  /// Makes a folder in the folder and returns its path.
  @discardableResult
  public func makeFolder(_ name: String) throws -> String {
    try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
    return path(name)
  }

  /// What lies in a folder for partial files that is in this one, sorted; nothing if there is none.
  ///
  /// A paused download is synced in the background, for which a temporary file comes and goes at any time. It is left
  /// out.
  public func partials(in name: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path(name))) ?? []
    return names.filter { !$0.hasSuffix(".sync") }.sorted()
  }

  /// Everything in the folder, as sorted paths relative to it, folders included.
  public func contents() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
  }
}
