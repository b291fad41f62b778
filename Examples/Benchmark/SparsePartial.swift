import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads

/// A partial file of a huge download that lacks its end, as a process that was killed leaves it.
struct SparsePartial: Sendable {
  private let name: String
  private let journal: Data
  private let bytes: Int64

  /// Begins the download from a slow server and keeps the journal that it writes on the way.
  init(url: URL, folder: String, bytes: Int64) async throws {
    let configuration = URLSessionConfiguration.default
    configuration.partialsDirectory = URL(fileURLWithPath: folder + "/begun", isDirectory: true)
    let begun = Beginning(folder: folder + "/begun")
    let session = DownloadSession(configuration: configuration, delegate: begun, delegateQueue: nil)
    let task = session.downloadTask(with: url)
    task.resume()
    let found = try await begun.found.wait(for: "a journal") { $0 != nil }
    session.invalidateAndCancel()
    guard let (name, journal) = found else { throw BenchmarkError.client("there is no journal") }
    self.name = name
    self.journal = journal
    self.bytes = bytes
  }

  /// Puts the partial file, one hole, and its journal into a folder.
  ///
  /// - Returns: The path of the partial file.
  func place(in folder: String) throws -> String {
    let stem = "\(folder)/\(name)"
    try write(journal, length: nil, to: stem + ".resume")
    try write(Data(), length: bytes - Sizes.missingBytes, to: stem + ".partial")
    return stem + ".partial"
  }

  private func write(_ data: Data, length: Int64?, to path: String) throws {
    let file = try OpenFile.new(path)
    try file.write(contentsOf: data)
    if let length { try file.truncate(atOffset: UInt64(length)) }
    try file.close()
  }

  /// Looks for the journal with every progress callback.
  private final class Beginning: NSObject, URLSessionDownloadDelegate, Sendable {
    let found = Observed<(name: String, journal: Data)?>(nil)
    private let folder: String

    init(folder: String) { self.folder = folder }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
      totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      guard let name = names.first(where: { $0.hasSuffix(".resume") }),
        let journal = FileManager.default.contents(atPath: "\(folder)/\(name)")
      else { return }
      let stem = String(name.dropLast(".resume".count))
      found.update { $0 = $0 ?? (stem, journal) }
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    }
  }
}
