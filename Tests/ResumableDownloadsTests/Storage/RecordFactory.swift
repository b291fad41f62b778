internal import Foundation

@testable internal import ResumableDownloads

/// A record of a download whose partial file is at `path`, unchecked, so that tests can name any path.
func makeRecord(path: String) -> ResumeData {
  let address = "http://localhost/file"
  let record = ResumeDataRecord(
    identity: UUID(), url: address, partialPath: path, partialName: (path as NSString).lastPathComponent,
    createdAt: ArchiveDate(Date()), updatedAt: ArchiveDate(Date()))
  return ResumeData(validRecord: record, url: URL(filePath: address))
}
