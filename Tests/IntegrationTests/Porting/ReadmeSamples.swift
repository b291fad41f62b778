// The first code of the README: what stands between "sample" and "end" are its paragraphs, in this order.

// sample
import Foundation
import FoundationNetworking
import ResumableDownloads
// end

/// The first paragraph.
func readmeStart(
  _ url: URL, _ delegate: any URLSessionDownloadDelegate
) -> (DownloadSession, DownloadTask) {
  // sample
  let session = DownloadSession(configuration: .default, delegate: delegate, delegateQueue: nil)
  let task = session.downloadTask(with: url)
  task.resume()  // then the usual URLSessionDownloadDelegate callbacks
  // end
  return (session, task)
}

/// The second paragraph.
func readmePause(_ task: DownloadTask, _ file: URL) async throws {
  // sample
  // Pause into a file ...
  if let data = await task.cancelByProducingResumeData() { try data.write(to: file) }
  // end
}

/// The third paragraph.
func readmeContinue(_ session: DownloadSession, _ file: URL) throws {
  // sample
  // ... and go on: in this process, in another one, after a restart of the machine.
  session.downloadTask(withResumeData: try Data(contentsOf: file)).resume()
  // end
}
