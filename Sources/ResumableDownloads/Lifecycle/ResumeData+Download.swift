internal import Foundation

extension ResumeData {
  /// The record of a download whose first answer has just arrived; `nil` when it cannot be recorded, so not be
  /// continued.
  static func beginning(
    job: DownloadJob, head: ResponseHead, total: Int64?, partialPath: String, at date: Date
  ) -> ResumeData? {
    let parts = RequestParts(method: job.method, url: job.url, headers: job.recordedFields, hasBody: job.body != nil)
    guard let request = parts else { return nil }
    do {
      var record = try ResumeData(
        request: request, identity: job.partialIdentity, partialPath: partialPath, createdAt: date,
        bootIdentifier: BootIdentifier.current, destinationPath: job.destination?.path)
      try record.recordResponse(
        validators: head.validators, total: total, contentCoding: nil, lastURL: recordable(head.url))
      return record
    } catch {
      return nil
    }
  }
  /// The address if it can be recorded. One that `URL` would write in another way is left out: it is for information
  /// only, and no reason to give the download up.
  private static func recordable(_ url: String) -> String? {
    guard url.utf8.count <= ResumeDataRecord.maximumURLByteCount else { return nil }
    return URL(string: url)?.absoluteString == url ? url : nil
  }
}
