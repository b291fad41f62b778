import Foundation
import FoundationNetworking
import ResumableDownloads

/// Asking about a file without fetching it.
extension Download {
  /// What the server says about the file; nil when the run is stopped.
  func head(otherwise left: String) async throws -> HTTPURLResponse? {
    do {
      guard let response = try await answer("HEAD") else { return nil }
      if response.statusCode < 400 { return response }
      // Some servers allow only GET, and signed URLs often hold for one method.
      guard let response = try await answer("GET") else { return nil }
      if response.statusCode < 400 { return response }
      let reason = Failure.sentence(URLError(.badServerResponse), response: response)
      throw Failure(.refused, "\(left); whether it is complete is unknown, because \(reason)")
    } catch let error as URLError {
      if context.stop.isAsked { return nil }
      let reason = "\(left); whether it is complete is unknown: \(Failure.sentence(error))"
      throw Failure(.network, reason, advice: "The same command asks again.")
    }
  }

  /// The head of the answer to a request, whose body is left; nil when the run is stopped.
  private func answer(_ method: String) async throws -> HTTPURLResponse? {
    let watcher = TransferWatcher()
    let task = context.session.downloadTask(with: context.request(entry.url, method: method))
    task.delegate = watcher
    return try await context.stop.during(
      stop: { task.cancel() },
      run: {
        task.resume()
        for await event in watcher.events {
          if let response = task.response as? HTTPURLResponse {
            task.cancel()
            return response
          }
          if case .completed(let error?) = event { throw error }
        }
        return nil
      })
  }
}
