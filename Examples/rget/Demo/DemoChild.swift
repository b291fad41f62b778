import Foundation
import FoundationNetworking
import ResumableDownloads

/// What the further processes of the demonstration do and what they tell the first one.
enum DemoChild {
  /// A line on the standard output of such a process.
  enum Line: Equatable, Sendable {
    case resumed(Int64)
    case received(Int64)
    case delivered

    var text: String {
      switch self {
      case .resumed(let offset): "resumed \(offset)"
      case .received(let count): "received \(count)"
      case .delivered: "delivered"
      }
    }

    init?(_ text: String) {
      let words = text.split(separator: " ")
      switch (words.first, words.dropFirst().first.flatMap { Int64($0) }) {
      case ("resumed", let offset?): self = .resumed(offset)
      case ("received", let count?): self = .received(count)
      case ("delivered", nil): self = .delivered
      default: return nil
      }
    }
  }

  /// The name of the finished file inside the directory.
  static let fileName = "finished"

  /// Keeps also the partial file inside the directory, so that nothing is left when that goes.
  static func configuration(in directory: URL) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.default
    configuration.partialsDirectory = directory.appendingPathComponent("partials", isDirectory: true)
    return configuration
  }

  /// Continues with the resume data in the file `blob`; returns the exit status.
  static func run(blob: URL, directory: URL) async -> Int32 {
    let data: Data
    do {
      data = try Data(contentsOf: blob)
    } catch {
      Output.message("rget: cannot read \(blob.path): \(Failure.sentence(error)).")
      return 1
    }
    let watcher = TransferWatcher(keptFile: directory.appendingPathComponent(fileName))
    let session = DownloadSession(configuration: configuration(in: directory), delegate: watcher, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    let task = session.downloadTask(withResumeData: data)
    task.resume()
    var isDelivered = false
    var told: Int64 = 0
    for await event in watcher.events {
      switch event {
      case .resumed(let offset): Output.result(Line.resumed(offset).text)
      case .received(let count, _) where count - told >= 1 << 18:
        told = count
        Output.result(Line.received(count).text)
      case .delivered:
        isDelivered = true
        Output.result(Line.delivered.text)
      case .completed(let error?):
        Output.message("rget: \(Failure.sentence(error, response: task.response)).")
        return 1
      case .received, .completed(nil): break
      }
    }
    return isDelivered ? 0 : 1
  }
}
