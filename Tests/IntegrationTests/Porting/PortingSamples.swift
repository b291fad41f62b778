import Foundation
import FoundationNetworking
import ResumableDownloads

// The code of the article "Porting from URLSession": what stands between "sample" and "end" is a block there, in this
// order.

/// The session before porting.
func sessionBefore(_ delegate: any URLSessionDownloadDelegate) -> URLSession {
  // sample
  let session = URLSession(configuration: .default, delegate: delegate, delegateQueue: nil)
  // end
  return session
}

/// The session after porting.
func sessionAfter(_ delegate: any URLSessionDownloadDelegate) -> DownloadSession {
  // sample
  let session = DownloadSession(configuration: .default, delegate: delegate, delegateQueue: nil)
  // end
  return session
}

// sample
final class Film: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
  // Used on the main queue only, which is also the delegate queue.
  lazy var session: URLSession = DownloadSession(
    configuration: .default, delegate: self, delegateQueue: .main)
  private var task: URLSessionDownloadTask?
  private var resumeData: Data?
  private let place: URL
  var onEnd: (((any Error)?) -> Void)?

  init(place: URL) { self.place = place }

  func start(_ url: URL) {
    task = session.downloadTask(with: url)
    task?.resume()
  }

  func pause() {
    task?.cancel { data in
      DispatchQueue.main.async { self.resumeData = data }
    }
  }

  func goOn() {
    guard let resumeData else { return }
    task = session.downloadTask(withResumeData: resumeData)
    task?.resume()
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    print(totalBytesWritten, "of", totalBytesExpectedToWrite)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    do {
      try FileManager.default.moveItem(at: location, to: place)
    } catch {
      print(error)
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    if let data = (error as? URLError)?.downloadTaskResumeData { resumeData = data }
    onEnd?(error)
  }
}
// end

/// A download that goes on by itself after the connection was lost.
// sample
func fetch(_ url: URL, with session: DownloadSession) async throws -> URL {
  do {
    return try await session.download(from: url).0
  } catch let error as URLError {
    guard let data = error.downloadTaskResumeData else { throw error }
    return try await session.download(resumeFrom: data).0
  }
}
// end

/// The trap.
func reachFoundation(_ url: URL) async throws -> (URLSession, URL) {
  // sample
  let session: URLSession = DownloadSession(configuration: .default)
  let (file, _) = try await session.download(from: url)  // FoundationNetworking's own download
  // end
  return (session, file)
}

/// The way out of the trap.
func reachThisPackage(_ url: URL) async throws -> (DownloadSession, URL) {
  // sample
  let session = DownloadSession(configuration: .default)
  let (file, _) = try await session.download(from: url)
  // end
  return (session, file)
}

/// The way out for a delegate whose type is not known.
// sample
func fetch(_ url: URL, with session: DownloadSession, telling delegate: (any URLSessionTaskDelegate)?) async throws
  -> URL
{
  try await session.download(from: url, options: [], delegate: delegate).0
}
// end

// sample
final class Watcher: NSObject, DownloadSessionDelegate, Sendable {
  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
    print("task", task.taskIdentifier)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: DownloadMetrics) {
    print(metrics.taskInterval.duration, "seconds,", metrics.redirectCount, "redirects")
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    print(downloadTask.response?.suggestedFilename ?? "a file")
  }
}
// end

/// What this package adds.
func keep(_ url: URL, at place: URL, with session: DownloadSession) async throws {
  // sample
  let task = session.downloadTask(with: URLRequest(url: url), to: place)
  task.resume()
  for try await event in task.events {
    switch event {
    case .resumed(let offset, _): print("going on at byte", offset)
    case .progress(let written, let expected): print(written, "of", expected)
    case .finished(let file): print("complete:", file.path)
    }
  }
  // end
}
