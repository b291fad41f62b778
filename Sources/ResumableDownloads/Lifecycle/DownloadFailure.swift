internal import Foundation

/// Why a download ended without a file, and what it can be continued with.
struct DownloadFailure: Error, Sendable {
  enum Reason: Error, Equatable {
    case cancelled
    case unsupportedScheme
    case malformedURL
    case invalidResumeData(String)
    case sessionInvalid
    /// The total time is over.
    case timedOut
    /// Fewer bytes arrived than were announced.
    case cutShort
    /// An answer that can be used for nothing: its status.
    case badAnswer(Int)
    case tooManyRedirects
    case badRedirect
    case transfer(TransferError)
    case storage(StorageError)
    case destinationExists(String)
    case identified(IdentifiedRefusal)
  }

  var reason: Reason
  var url: String
  /// An encoded `ResumeData` whenever the download can go on.
  var resumeData: Data?
}
