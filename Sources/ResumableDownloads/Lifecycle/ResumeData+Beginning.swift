internal import Foundation

extension ResumeData {
  /// The record of a download whose first answer has just arrived. Fields that ask for a range are not the caller's to
  /// repeat.
  static func beginning(job: DownloadJob, head: ResponseHead, total: Int64?, partialPath: String) -> ResumeData {
    let now = Date()
    let validators = head.validators
    let record = ResumeData(
      identity: UUID(), method: job.method, urlString: job.url,
      headerFields: ResumeRules.sanitizedRequestFields(job.fields), lastURLString: head.url,
      entityTag: validators.entityTag, lastModified: validators.lastModified, responseDate: validators.date,
      byteOffset: 0, syncedByteOffset: 0, expectedTotalBytes: total, partialPath: partialPath, partialName: "",
      creationDate: now, modificationDate: now, bootIdentifier: BootIdentifier.current, isClosed: false)
    return record.withPartial(path: partialPath)
  }
}
