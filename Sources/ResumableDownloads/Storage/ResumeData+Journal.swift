internal import Foundation

extension ResumeData {
  /// The record with new counts, written now and in this run of the machine.
  func updating(
    written: Int64, synced: Int64, isClosed: Bool, bootIdentifier: String = BootIdentifier.current
  ) -> ResumeData {
    var copy = self
    copy.recordProgress(written: written, synced: synced, at: Date(), bootIdentifier: bootIdentifier)
    copy.recordClosed(isClosed)
    return copy
  }
}
