import Dispatch
import Foundation
import FoundationNetworking
import Glibc
import ResumableDownloads

// `DownloadClient URL [replacing]`: downloads to the last path component of the URL in the working folder, by one task
// of the library and nothing else, so that a test that ends it or lets its calls fail sees what the library does.
//
// Exit status: 0 for a complete file, 1 for a failure, 130 after SIGINT. Standard error then has the reason, the POSIX
// error underneath if there is one, and the offset that resume data continues from if there is any.

signal(SIGINT, SIG_IGN)
let arguments = CommandLine.arguments.dropFirst()
guard let url = arguments.first.flatMap({ URL(string: $0) }) else { exit(2) }
let replaces = arguments.dropFirst().first == "replacing"

let session = DownloadSession(configuration: .default)
let place = URL(fileURLWithPath: FileManager.default.currentDirectoryPath).appendingPathComponent(url.lastPathComponent)
let task = session.downloadTask(with: URLRequest(url: url), to: place, replacingExisting: replaces)
let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
interrupt.setEventHandler { @Sendable in task.cancel(byProducingResumeData: { _ in }) }
interrupt.resume()

task.resume()
var status: Int32 = 0
do {
  for try await _ in task.events {}
} catch {
  let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
  let offset = error.downloadTaskResumeData.flatMap { try? ResumeData($0).byteOffset }
  var text = "\(error.localizedDescription)\n"
  if let underlying, underlying.domain == NSPOSIXErrorDomain { text += "POSIX \(underlying.code)\n" }
  if let offset { text += "resumes at \(offset)\n" }
  FileHandle.standardError.write(Data(text.utf8))
  status = error.code == .cancelled ? 130 : 1
}
// The sync that follows a pause belongs to the download.
await withCheckedContinuation { continuation in session.flush { continuation.resume() } }
exit(status)
