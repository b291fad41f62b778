import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads

/// Continues what an earlier process left in the partials folder.
struct ResumedClient {
  let order: ClientOrder

  func run() async throws -> [String: Double] {
    let folder = URL(fileURLWithPath: order.partials, isDirectory: true)
    guard let left = try DownloadSession.abandonedDownloads(in: folder).first else {
      throw BenchmarkError.client("there is no partial file in \(order.partials)")
    }
    // The server has got another port since.
    let data = try left.replacingRequest(URLRequest(url: try order.url(0))).encoded
    // It lies where it was put, not where it was begun.
    let reads = try ReadWatch("\(order.partials)/\(left.partialURL.lastPathComponent)")
    let end = Observed<Result<Void, BenchmarkError>?>(nil)
    let session = DownloadSession(configuration: order.configuration)
    defer { session.finishTasksAndInvalidate() }
    let target = order.output + "/0"
    let task = session.downloadTask(withResumeData: data) { file, response, error in
      let isPart = (response as? HTTPURLResponse)?.statusCode == 206
      let isMoved = file.map { rename($0.path, target) == 0 } ?? false
      let failure = BenchmarkError.client("not resumed: \(String(describing: error))")
      end.update { $0 = isPart && isMoved ? .success(()) : .failure(failure) }
    }
    task.resume()
    try await end.wait(for: "the download") { $0 != nil }?.get()
    return ["readsOfPartial": Double(reads.count())]
  }
}

/// Counts how often anybody reads a file (inotify(7), `IN_ACCESS`).
private struct ReadWatch {
  private let descriptor: FileHandle

  init(_ path: String) throws {
    let number = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard number >= 0 else { throw BenchmarkError.last("inotify_init1") }
    descriptor = FileHandle(fileDescriptor: number, closeOnDealloc: true)
    guard inotify_add_watch(number, path, UInt32(IN_ACCESS)) >= 0 else { throw BenchmarkError.last("watch \(path)") }
  }

  /// Reads that follow each other at once may count as one.
  func count() -> Int {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    let bytes = read(descriptor.fileDescriptor, &buffer, buffer.count)
    // Events of a watched file carry no name, so all have the same size.
    return bytes > 0 ? bytes / MemoryLayout<inotify_event>.size : 0
  }
}
