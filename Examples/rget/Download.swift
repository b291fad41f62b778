import Foundation
import FoundationNetworking
import ResumableDownloads

/// `rget URL`: one download to one file.
struct Download {
  let url: URL
  let destination: URL

  /// Returns the exit status.
  func run() async -> Int32 {
    let watcher = TransferWatcher()
    let signals = Signals { watcher.signalled($0) }
    let session = DownloadSession(configuration: .default, delegate: watcher, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    let task = session.downloadTask(with: URLRequest(url: url), to: destination)
    task.resume()
    let status = await follow(task, watcher.events)
    withExtendedLifetime(signals) {}
    return status
  }

  private func follow(_ task: DownloadTask, _ events: AsyncStream<TransferEvent>) async -> Int32 {
    var progress = ProgressReport(isTerminal: Output.isTerminal)
    var received: Int64 = 0
    var stop: (signal: Int32, kept: Data?)?
    var result: Result<Void, any Error>?
    for await event in events {
      switch event {
      case .resumed(let offset):
        received = offset
        progress.interrupt()
        Output.message("continuing from byte \(offset)")
      case .received(let count, let total):
        received = count
        if stop == nil { progress.update(received: count, total: total) }
      case .delivered: break
      case .signal(let number):
        if stop == nil { stop = (number, await task.cancelByProducingResumeData()) }
      case .completed(let error): result = error.map { .failure($0) } ?? .success(())
      }
    }
    progress.interrupt()
    switch (result, stop) {
    case (.success, _):
      Output.message("saved \(destination.relativePath), \(ProgressLine.bytes(received))")
      return 0
    case (_, let (signal, kept)?):
      Output.message(stopped(kept))
      return 128 + signal
    case (.failure(let error as URLError), nil) where error.code == .cannotMoveFile && isTaken:
      return fail("\(destination.relativePath) exists already and was left as it is")
    case (.failure(let error), nil): return fail(Failure.sentence(error, response: task.response), outlook(error))
    case (nil, nil): return fail("the download ended without a result")
    }
  }

  /// The library looks too, and does so first: it also clears what a killed process has left beside the file.
  private var isTaken: Bool { FileManager.default.fileExists(atPath: destination.path) }

  private func stopped(_ kept: Data?) -> String {
    guard let offset = Self.offset(kept) else { return "stopped; the same command again starts from the beginning" }
    return "stopped at byte \(offset); run the same command again to continue from there"
  }

  private func outlook(_ error: any Error) -> String {
    guard let offset = Self.offset((error as? URLError)?.downloadTaskResumeData) else {
      return "The same command again starts from the beginning."
    }
    return "The same command again continues from byte \(offset)."
  }

  private static func offset(_ data: Data?) -> Int64? {
    guard let data, let resume = try? ResumeData(data) else { return nil }
    return Int64(resume.byteOffset)
  }

  private func fail(_ reason: String, _ outlook: String? = nil) -> Int32 {
    Output.message("rget: \(reason)." + (outlook.map { " \($0)" } ?? ""))
    return 1
  }
}
