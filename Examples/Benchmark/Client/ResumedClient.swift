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
    return [:]
  }
}
