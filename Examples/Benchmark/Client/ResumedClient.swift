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
    let before = try Self.bytesRead()
    let end = Observed<String?>(nil)
    let session = DownloadSession(configuration: order.configuration)
    defer { session.finishTasksAndInvalidate() }
    let target = order.output + "/0"
    let task = session.downloadTask(withResumeData: data) { file, response, error in
      let isPart = (response as? HTTPURLResponse)?.statusCode == 206
      let isMoved = file.map { rename($0.path, target) == 0 } ?? false
      end.update { $0 = isPart && isMoved ? "" : "not resumed: \(String(describing: error))" }
    }
    task.resume()
    let failure = try await end.wait(for: "the download") { $0 != nil } ?? ""
    guard failure.isEmpty else { throw BenchmarkError.client(failure) }
    return ["bytesReadFromFiles": Double(try Self.bytesRead() - before)]
  }

  /// What this process has read with read(2) and its relatives, not from sockets (proc(5), `/proc/pid/io`): of a
  /// download that is continued that is the journal, and the wake-ups of the loop.
  private static func bytesRead() throws -> Int64 {
    let text = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
    for line in text.split(separator: "\n") where line.hasPrefix("rchar: ") {
      if let count = Int64(line.dropFirst("rchar: ".count)) { return count }
    }
    throw BenchmarkError.client("/proc/self/io has no count of bytes read")
  }
}
