import Foundation

/// Extended attributes of files, xattr(7). The functions are looked up by name, because the Swift module of the C
/// library does not show them.
enum ExtendedAttribute {
  private typealias Set =
    @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer?, Int, Int32) -> Int32
  private typealias Get =
    @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int

  private static let set = dlsym(nil, "setxattr").map { unsafeBitCast($0, to: Set.self) }
  private static let get = dlsym(nil, "getxattr").map { unsafeBitCast($0, to: Get.self) }
  /// Some file systems have no room for more than one block.
  private static let maximumBytes = 2048

  /// False if it cannot be written; many file systems have no such attributes.
  static func write(_ data: Data, as name: String, to path: String) -> Bool {
    guard let set, data.count <= maximumBytes else { return false }
    return data.withUnsafeBytes { set(path, name, $0.baseAddress, $0.count, 0) == 0 }
  }

  /// Nil if there is none.
  static func read(_ name: String, of path: String) -> Data? {
    guard let get else { return nil }
    var bytes = [UInt8](repeating: 0, count: maximumBytes)
    let count = get(path, name, &bytes, bytes.count)
    return count >= 0 ? Data(bytes[..<count]) : nil
  }
}
