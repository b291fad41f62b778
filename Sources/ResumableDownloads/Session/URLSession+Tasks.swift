public import FoundationNetworking

extension URLSession {
  /// All tasks that have not ended, by kind (Apple: `URLSession.tasks`).
  ///
  /// In a `DownloadSession` the download tasks include those never resumed; the other two kinds are
  /// FoundationNetworking's, which lists tasks from their first `resume()`.
  public var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
    get async {
      await withCheckedContinuation { continuation in
        getTasksWithCompletionHandler { continuation.resume(returning: ($0, $1, $2)) }
      }
    }
  }

  /// All tasks that have not ended (Apple: `URLSession.allTasks`).
  public var allTasks: [URLSessionTask] {
    get async {
      await withCheckedContinuation { continuation in getAllTasks { continuation.resume(returning: $0) } }
    }
  }
}
