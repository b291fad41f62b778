public import Foundation
public import FoundationNetworking

/// The key in an error's `userInfo` under which resume data lies, spelled as on Apple's systems.
///
/// FoundationNetworking only has `URLSessionDownloadTaskResumeData`, with the same value.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLSessionDownloadTaskResumeData: String = ErrorTable.resumeDataKey

extension URLError {
  /// The resume data of a download that failed and can be continued; `nil` when it cannot.
  ///
  /// Hand it to `downloadTask(withResumeData:)`, now or in another process (Apple: `URLError.downloadTaskResumeData`).
  public var downloadTaskResumeData: Data? { userInfo[ErrorTable.resumeDataKey] as? Data }

  /// The answer that had come before a download of this package failed, for instance the one whose status was refused;
  /// `nil` when none had.
  public var downloadTaskResponse: HTTPURLResponse? {
    (userInfo[ErrorTable.responseKey] as? AttachedResponse)?.response
  }
}

extension URLSessionDownloadTask {
  /// Cancels the download and returns what it can be continued with.
  ///
  /// - Returns: Resume data, or `nil` when the download cannot be continued: nothing has arrived yet, the server gave
  ///   neither an entity tag nor a usable date, the request is not a plain GET, or the task has ended.
  public func cancelByProducingResumeData() async -> Data? {
    await withCheckedContinuation { continuation in
      cancel(byProducingResumeData: { continuation.resume(returning: $0) })
    }
  }
}
