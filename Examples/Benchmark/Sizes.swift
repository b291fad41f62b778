/// How much each workload moves, at a scale of which 1 is the full size.
struct Sizes: Sendable {
  static let mediumBytes: Int64 = 256 << 10
  static let smallBytes: Int64 = 4 << 10
  /// What is not yet there of the sparse file, and the size of the fresh download that it is compared with.
  static let missingBytes: Int64 = 1 << 20
  /// Bytes per second of the throttled server: it stops each connection early, and never for long.
  static let throttledSpeed = 256 << 20

  let scale: Double

  var largeBytes: Int64 { max(1 << 20, Int64(Double(1 << 30) * scale)) }
  /// About what one program needs, with the file that it writes and perhaps a copy.
  var memoryBytes: Int64 { 3 * largeBytes }
  var mediumCount: Int { max(4, Int(1000 * scale)) }
  var smallCount: Int { max(8, Int(10_000 * scale)) }
  var sparseBytes: Int64 { max(4 << 20, Int64(Double(5 << 30) * scale)) }
  var pauses: Int { max(3, Int(1000 * scale)) }
  var queuedCount: Int { max(32, Int(10_000 * scale)) }
  /// How long an idle session is watched.
  var idleSeconds: Double { max(0.1, min(5, 5 * scale)) }

  /// Files that a workload downloads.
  func count(_ workload: Workload) -> Int {
    switch workload {
    case .medium: mediumCount
    case .small: smallCount
    case .queued: queuedCount
    default: 1
    }
  }
}
