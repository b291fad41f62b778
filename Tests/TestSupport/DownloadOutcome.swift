public import Foundation
public import FoundationNetworking

/// What became of one download.
public struct DownloadOutcome: Sendable {
  /// Apple's constant of this name, which FoundationNetworking lacks.
  private static let resumeDataKey = "NSURLSessionDownloadTaskResumeData"

  /// The finished file where the recording delegate put it; nil if there is none.
  public let file: URL?
  /// Where the file was when the delegate was told.
  public let temporaryFile: URL?
  /// The error of `didCompleteWithError`.
  public let error: (any Error)?
  /// The callbacks of the task, in order.
  public let events: [DownloadEvent]
  /// The task's response when it completed.
  public let response: URLResponse?
  /// What went wrong in the delegate itself, for instance that the file could not be moved; empty if nothing did.
  public let faults: [String]

  /// The error, if it is of the type that it ought to be.
  public var urlError: URLError? { error as? URLError }

  /// The status of the response.
  public var status: Int? { (response as? HTTPURLResponse)?.statusCode }

  /// The resume data that the error carries.
  public var resumeData: Data? {
    guard let error else { return nil }
    return (error as NSError).userInfo[Self.resumeDataKey] as? Data
  }

  /// The bytes of the finished file; nil if there is none or it cannot be read.
  public var data: Data? { file.flatMap { try? Data(contentsOf: $0) } }

  /// The offsets of every `didResumeAtOffset`.
  public var resumeOffsets: [Int64] {
    events.compactMap { if case .resumed(let offset, _) = $0 { offset } else { nil } }
  }
}
