import Foundation
import LoopbackServer
import TestSupport

/// Bodies by which targets can be told apart.
enum TargetBody {
  static let count: Int64 = 5000

  /// The body of a target, other than that of a target of another length.
  static func bytes(_ target: String) -> Data { Payload.bytes(seed: UInt64(target.utf8.count), count: Int(count)) }
}

extension CommandFixture {
  /// Whether a file in the folder has the body of that target.
  func isRight(_ name: String, _ target: String) throws -> Bool {
    try Data(contentsOf: folder.url(name)) == TargetBody.bytes(target)
  }
}
