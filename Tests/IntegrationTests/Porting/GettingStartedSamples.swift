// The code of the article "Getting started": what stands between "sample" and "end" is a block there, in this order.

// sample
import Foundation
import FoundationNetworking
import ResumableDownloads
// end

// sample
func fetch(_ url: URL, to place: URL) async throws {
  let session = DownloadSession(configuration: .default)
  defer { session.finishTasksAndInvalidate() }
  _ = try await session.download(from: url, to: place)
}
// end

// sample
func pause(_ task: URLSessionDownloadTask, into file: URL) async throws {
  try await task.cancelByProducingResumeData()?.write(to: file)
}

func goOn(from file: URL, in session: DownloadSession) throws -> DownloadTask {
  let task = session.downloadTask(withResumeData: try Data(contentsOf: file))
  task.resume()
  return task
}
// end

// sample
func describe(_ data: Data) throws -> String {
  let saved = try ResumeData(data)
  return "\(saved.byteOffset) of \(saved.expectedTotalBytes ?? -1) bytes of \(saved.url)"
}
// end

// sample
func patientSession() -> DownloadSession {
  let configuration = URLSessionConfiguration.default
  configuration.retryPolicy = RetryPolicy()
  configuration.waitsForConnectivity = true
  return DownloadSession(configuration: configuration)
}
// end
