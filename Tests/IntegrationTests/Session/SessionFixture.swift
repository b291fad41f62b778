import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport

/// A session with a delegate that records and a folder of its own for partial files.
struct SessionFixture {
  let partials: TemporaryFolder
  let delegate: RecordingDelegate
  let session: DownloadSession

  init(
    queue: OperationQueue? = nil, partials folder: URL? = nil, configure: (URLSessionConfiguration) -> Void = { _ in }
  ) throws {
    partials = try TemporaryFolder("partials")
    delegate = try RecordingDelegate()
    let configuration = URLSessionConfiguration.default
    configuration.partialsDirectory = folder ?? partials.url("kept")
    configure(configuration)
    session = DownloadSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
  }

  /// Names of the partial files and journals that are there.
  var kept: [String] { partials.partials(in: "kept") }

  /// Resumes the task and returns when so much of the file has come.
  func start(_ task: DownloadTask, until count: Int64) async throws {
    task.resume()
    try await delegate.waitForBytes(count, of: task)
  }

  /// Resumes the task and returns what became of it.
  func run(_ task: DownloadTask) async throws -> DownloadOutcome {
    task.resume()
    return try await delegate.completion(of: task)
  }
}

extension LoopbackServer {
  /// Serves 300,000 bytes, of which the first answers give 100,000 and then nothing more, on a connection that stays.
  static func stalling(seed: UInt64, after count: Int64 = 100_000, times: Int = 1) throws -> LoopbackServer {
    let drops = Array(repeating: RangeResource.Drop.dropAfter(count, .hang), count: times)
    let resource = RangeResource(.init(.generated(seed: seed, count: 300_000)), drops: drops)
    return try LoopbackServer(handler: resource.answer)
  }
}

extension Error {
  /// The POSIX error underneath, if there is one.
  var underlyingPOSIXCode: Int? {
    guard let error = (self as NSError).userInfo[NSUnderlyingErrorKey] as? NSError, error.domain == NSPOSIXErrorDomain
    else { return nil }
    return error.code
  }
}
