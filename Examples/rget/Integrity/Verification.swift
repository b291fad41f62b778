import Foundation

/// Whether a file has all the values that it must have.
enum Verification {
  enum Verdict: Equatable, Sendable {
    case right
    /// Carries what was expected and what is there, as sentences without a full stop.
    case wrong(String)
    case stopped
  }

  /// Computes the file's values and compares them.
  static func verify(
    _ path: String, _ expected: Set<Checksum>, isCancelled: @escaping @Sendable () -> Bool
  ) async throws -> Verdict {
    guard !expected.isEmpty else { return .right }
    let digests = Set(expected.map(\.digest))
    guard let found = try await FileHash.compute(digests, of: path, isCancelled: isCancelled) else { return .stopped }
    for checksum in expected.sorted(by: { $0.text < $1.text }) {
      let value = found[checksum.digest] ?? Data()
      if value != checksum.value {
        let (found, wanted) = (Digest.hexadecimal(value), Digest.hexadecimal(checksum.value))
        return .wrong("its \(checksum.digest.rawValue) is \(found), not \(wanted)")
      }
    }
    return .right
  }
}
