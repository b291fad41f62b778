internal import Foundation
internal import Glibc

extension JournalFile {
  /// What lies under a journal's name.
  enum Found {
    case nothing
    case record(ResumeData)
    /// Something of ours that a crash left without content, or with a part of it.
    case torn
    case unreadable
  }

  /// The name under which the last synced journal stays while a later one is not synced.
  static func previous(_ name: String) -> String { name + ".old" }

  /// Reads a journal without ever trusting its size, kind or contents. One that a crash has torn is replaced by the
  /// synced one before it.
  static func read(_ name: String, in directory: FileDescriptor) -> Found {
    let found = readOne(name, in: directory)
    switch found {
    case .record, .unreadable: return found
    case .nothing, .torn:
      if case .record(let record) = readOne(previous(name), in: directory) { return .record(record) }
      return found
    }
  }

  private static func readOne(_ name: String, in directory: FileDescriptor) -> Found {
    guard FileStatus.of(name, in: directory.number) != nil else { return .nothing }
    guard let bytes = WholeFile.read(name, in: directory, limit: sizeLimit) else { return .unreadable }
    do throws(ResumeDataError) {
      return .record(try ResumeData(bytes))
    } catch {
      // Any other error is about text that is whole, for instance that of a later version.
      return error == .notResumeData && isTorn(bytes) ? .torn : .unreadable
    }
  }

  /// Every journal begins with these bytes: its keys are sorted, and a download without the first one is not recorded.
  private static let beginning = Data("{\"bootIdentifier\":\"".utf8)
  /// The smallest block that a disk writes or does not write as a whole.
  private static let sectorBytes = 512

  /// Whether a journal of ours was torn by a power cut: the beginning of one, then zeros or nothing; or zeros at first.
  private static func isTorn(_ bytes: Data) -> Bool {
    if bytes.prefix(sectorBytes).allSatisfy({ $0 == 0 }) { return true }
    let written = bytes.prefix { $0 != 0 }
    return !written.isEmpty && (beginning.starts(with: written) || written.starts(with: beginning))
  }
}
