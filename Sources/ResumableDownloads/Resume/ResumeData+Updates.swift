import Foundation

/// Making and changing the record of a download while it runs. Each function leaves a record that decoding accepts.
extension ResumeData {
  /// Begins the record of a download.
  /// - Throws: when the request or a path cannot be recorded; such a download has no resume data.
  init(
    request: RequestParts, identity: UUID, partialPath: String, createdAt: Date, bootIdentifier: String? = nil,
    destinationPath: String? = nil
  ) throws(ResumeDataError) {
    var record = ResumeDataRecord(
      identity: identity, url: request.url, partialPath: partialPath, partialName: Self.name(of: partialPath),
      createdAt: ArchiveDate(createdAt), updatedAt: ArchiveDate(createdAt))
    record.method = request.method
    record.headers = request.headers
    record.bootIdentifier = bootIdentifier
    record.destination = destinationPath
    self.init(validRecord: record, url: try record.validated())
  }

  /// What the next request asks for and its answer is measured against.
  var resumePoint: ResumePoint {
    ResumePoint(
      offset: record.offset, total: record.total, validators: record.validators, contentCoding: record.contentCoding)
  }

  /// Takes down what a response says about the file. Called for the response that fills the partial from its start;
  /// those that continue it only add a total that was unknown.
  mutating func recordResponse(
    validators: Validators, total: Int64?, contentCoding: String?, lastURL: String?
  ) throws(ResumeDataError) {
    var changed = record
    changed.validators = validators
    (changed.total, changed.contentCoding, changed.lastURL) = (total, contentCoding, lastURL)
    _ = try changed.validated()
    record = changed
  }

  /// Takes down the length of the file, learned later. Ignored when it contradicts what is on disk.
  mutating func recordTotal(_ total: Int64) {
    if total >= record.offset { record.total = total }
  }

  /// Takes down how far the file was written and synced. Numbers that cannot be are moved to the nearest that can; the
  /// synced offset never exceeds the written one.
  mutating func recordProgress(written: Int64, synced: Int64, at date: Date, bootIdentifier: String?) {
    record.offset = min(max(written, 0), record.total ?? .max)
    record.syncedOffset = min(max(synced, 0), record.offset)
    record.updatedAt = ArchiveDate(date)
    if let bootIdentifier { record.bootIdentifier = bootIdentifier }
  }

  /// Says whether a task still writes to the partial.
  mutating func recordClosed(_ isClosed: Bool) { record.isClosed = isClosed }

  /// Points to another partial: one that was moved, or, with an identity of its own, one that takes its place.
  mutating func recordPartial(path: String, identity: UUID? = nil) throws(ResumeDataError) {
    var changed = record
    (changed.partialPath, changed.partialName) = (path, Self.name(of: path))
    if let identity { changed.identity = identity }
    _ = try changed.validated()
    record = changed
  }

  /// How many bytes of a partial file of the given length can be believed.
  ///
  /// After an orderly end, what was written counts. After a killed process, all that the file holds does: the system
  /// keeps what a process wrote, even more than the whole file should have, which the next answer of the server will
  /// show to be wrong. After a restart of the machine, or where none can be told, only synced bytes do.
  func trustedLength(partialLength: Int64, bootIdentifier: String) -> Int64 {
    let length = max(partialLength, 0)
    guard !bootIdentifier.isEmpty, bootIdentifier == record.bootIdentifier else {
      return min(length, record.syncedOffset)
    }
    return record.isClosed ? min(length, record.offset) : length
  }

  /// The last component of a path.
  private static func name(of path: String) -> String {
    path.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).last
      .map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
