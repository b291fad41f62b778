public import Foundation

extension DownloadSession {
  /// What processes that ended without saving resume data left behind, ready for `downloadTask(withResumeData:)`.
  ///
  /// Downloads that a live task holds are not listed. Nothing is changed.
  ///
  /// - Parameter directory: A `partialsDirectory`, or a folder into which files were downloaded with
  ///   `downloadTask(with:to:)`; `nil` stands for the package's own temporary directory.
  /// - Throws: `URLError` when the directory cannot be read.
  public static func abandonedDownloads(in directory: URL? = nil) throws -> [ResumeData] {
    do {
      if let directory { return try PartialDirectory(sharedPath: directory.path).abandoned() }
      return try PartialDirectory(privatePath: PartialDirectory.temporaryPath()).abandoned()
    } catch {
      throw ErrorTable.urlError(for: DownloadFailure(reason: .storage(error), url: ""))
    }
  }

  /// Removes partial files that nobody has touched since a date and that no live task holds.
  ///
  /// - Parameters:
  ///   - directory: A `partialsDirectory`, which is a folder of this user that nobody else may read; others are
  ///     refused. `nil` stands for the package's own temporary directory.
  ///   - limit: What was written to later than this stays.
  /// - Throws: `URLError` when the directory cannot be used.
  public static func removeAbandonedDownloads(in directory: URL? = nil, olderThan limit: Date) throws {
    do {
      let path = directory?.path ?? PartialDirectory.temporaryPath()
      try PartialDirectory(privatePath: path).removeLeftovers(olderThan: limit)
    } catch {
      throw ErrorTable.urlError(for: DownloadFailure(reason: .storage(error), url: ""))
    }
  }
}
