public import Foundation
public import FoundationNetworking

extension DownloadSession {
  /// A task that downloads the answer to a GET, with options of this package.
  public func downloadTask(with url: URL, options: DownloadOptions) -> DownloadTask {
    downloadTask(with: URLRequest(url: url), options: options)
  }

  /// A task that downloads the answer to a request, with options of this package.
  public func downloadTask(with request: URLRequest, options: DownloadOptions) -> DownloadTask {
    add(request, options: options, style: .delegate)
  }

  /// Downloads to a file that the caller owns, with options of this package.
  ///
  /// - Throws: `URLError`, with resume data where there is any, and with the answer if one had come.
  public func download(
    from url: URL, options: DownloadOptions, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (URL, URLResponse) {
    try await download(for: URLRequest(url: url), options: options, delegate: delegate)
  }

  /// As the other spelling, for a request.
  public func download(
    for request: URLRequest, options: DownloadOptions, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (URL, URLResponse) {
    try await run(delegate: delegate) { add(request, options: options, style: $0) }
  }

  /// Downloads to a file at a fixed place, which appears there in one step when it is complete and synced.
  ///
  /// What `downloadTask(with:to:replacingExisting:)` says holds here too: the same call continues what an earlier one
  /// left beside the destination, also after the process was killed, and a status of 400 and above is an error.
  /// Cancelling the surrounding Swift task ends the download and throws `URLError.cancelled`.
  ///
  /// - Parameters:
  ///   - url: What to download.
  ///   - destination: A file URL whose folder exists.
  ///   - replacingExisting: Whether a file that is there is replaced.
  ///   - delegate: Asked about redirects and credentials, before the session's delegate.
  /// - Returns: The answer; a plain `URLResponse` when all bytes were there already and nothing was asked.
  /// - Throws: `URLError`: `cannotMoveFile` when there is something at the destination that may not be replaced,
  ///   `cannotOpenFile` when its folder is missing.
  @discardableResult
  public func download(
    from url: URL, to destination: URL, replacingExisting: Bool = false,
    delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> URLResponse {
    try await download(
      for: URLRequest(url: url), to: destination, replacingExisting: replacingExisting, delegate: delegate)
  }

  /// As the other spelling, for a request.
  @discardableResult
  public func download(
    for request: URLRequest, to destination: URL, replacingExisting: Bool = false,
    delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> URLResponse {
    let (_, response) = try await run(delegate: delegate) {
      add(request, to: destination, replacingExisting: replacingExisting, style: $0)
    }
    return response
  }
}
