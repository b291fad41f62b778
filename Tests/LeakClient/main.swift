import Foundation
import FoundationNetworking
import ResumableDownloads
import TestSupport

// `LeakClient downloads|sessions URL`: downloads the same thing often, and writes what the process holds before and
// after: descriptors, threads and bytes of memory. It is a process of its own because other tests would be counted,
// too.

guard CommandLine.arguments.count == 3, let url = URL(string: CommandLine.arguments[2]) else { exit(2) }

/// Downloads one after the other in one session.
func download(_ count: Int, in session: DownloadSession) async throws {
  for _ in 0..<count {
    let (file, _) = try await session.download(from: url)
    try FileManager.default.removeItem(at: file)
  }
}

/// One download in each of so many sessions, which end in turn in the two ways that there are.
func openSessions(_ count: Int) async throws {
  for number in 0..<count {
    let delegate = try RecordingDelegate()
    let session = DownloadSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    let task = session.downloadTask(with: url)
    task.resume()
    if let error = try await delegate.completion(of: task).error { throw error }
    if number % 2 == 0 { session.finishTasksAndInvalidate() } else { session.invalidateAndCancel() }
    try await delegate.invalidated()
  }
}

func report(_ counters: ProcessCounters) throws {
  print(counters.descriptors, counters.threads, try ProcessCounters.residentBytes())
}

switch CommandLine.arguments[1] {
case "downloads":
  let session = DownloadSession(configuration: .ephemeral)
  try await download(100, in: session)
  try report(.now())
  try await download(1000, in: session)
  try report(.now())
case "sessions":
  try await openSessions(20)
  let before = try ProcessCounters.now()
  try report(before)
  try await openSessions(200)
  var after = before
  // The last thread may be on its way out.
  try await eventually("the end of the threads") {
    after = try .now()
    return after.threads <= before.threads + 4
  }
  try report(after)
default: exit(2)
}
