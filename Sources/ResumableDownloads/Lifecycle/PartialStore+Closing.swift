internal import Glibc

extension PartialStore {
  /// What a full disk gives back for two journals, the second one being that of the sync that follows.
  private static let spareBytes: Int64 = 64 << 10

  /// Ends the work and keeps what can be continued: the resume data, or `nil` when nothing can.
  ///
  /// The data is handed out without a sync; one follows in the background.
  func close() -> ResumeData? {
    if let old, file?.hasJournal != true {
      // The new partial never stood: the old one is as good as before.
      file?.discard()
      self.old = nil
      adopt(old)
    }
    defer { file = nil }
    if file?.hasFailedSync == true { dropUnsynced() }
    guard let file, let closed = writeLastJournal() else {
      // Without a journal the bytes cannot be trusted later, so no resume data may name them.
      let isUsable = record != nil && file.map { $0.length > 0 && $0.isIntact && $0.hasJournal } == true
      if isUsable { file?.release() } else { file?.discard() }
      return nil
    }
    if !file.journalClaimsMore { file.checkpoint(closed, closed: true, on: environment.syncQueue) { _ in } }
    // Whoever is handed the data may use it at once; the checkpoint looks before it puts its journal in place.
    file.release()
    return closed
  }

  /// What the disk refused to take cannot be continued from.
  private func dropUnsynced() {
    guard let file, let record else { return }
    do { try file.cut(to: min(record.syncedByteOffset, file.length)) } catch { self.record = nil }
  }

  /// Writes the journal of what is kept; `nil` when there is nothing to keep or no way to.
  private func writeLastJournal() -> ResumeData? {
    guard let file, file.length > 0, file.isIntact, let closed = snapshot(closed: true) else { return nil }
    // Nothing was added: the journal still says what counts, and replacing it would need a wait for the disk.
    guard !file.journalClaimsMore else { return closed }
    do throws(StorageError) {
      try file.writeJournal(closed)
      return closed
    } catch {
      guard [ENOSPC, EDQUOT].contains(error.code), file.length > Self.spareBytes else { return nil }
    }
    // On a full disk the last bytes make room for the journal, without which all of them would be lost.
    do throws(StorageError) {
      try file.cut(to: file.length - Self.spareBytes)
      guard let shorter = snapshot(closed: true) else { return nil }
      try file.writeJournal(shorter)
      return shorter
    } catch {
      return nil
    }
  }
}
