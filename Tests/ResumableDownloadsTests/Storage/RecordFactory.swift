internal import Foundation

@testable internal import ResumableDownloads

/// A record of a download whose partial file is at `path`; the one place that knows how records are made.
func makeRecord(path: String) -> ResumeData {
  ResumeData(
    identity: UUID(), byteOffset: 0, syncedByteOffset: 0, isClosed: false, bootIdentifier: "",
    partialPath: path, partialName: (path as NSString).lastPathComponent)
}
