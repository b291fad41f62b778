internal import Foundation

/// What one download is asked to do: values only, made by the session, used by the driver.
struct DownloadJob: Sendable {
  /// Where the bytes come from at first.
  enum Source: Sendable {
    /// A new request.
    case request
    /// Resume data that was read.
    case resume(ResumeData, original: Data)
    /// Resume data that could not be read, and why.
    case unreadable(ResumeDataError)
    /// A request that no download can be made of, for example one with another scheme.
    case refused(DownloadFailure.Reason)
  }

  /// A file that the download moves itself to.
  struct Destination: Sendable, Equatable {
    var path: String
    var replacesExisting: Bool
  }

  var source: Source
  var method = "GET"
  var url: String
  var fields: [HeaderField] = []
  var body: Data?
  var destination: Destination?
  /// Seconds without a byte.
  var inactivityTimeout: Double
  /// Seconds for the whole download.
  var totalTimeout: Double
  var options = TransferOptions()
  var retryPolicy: RetryPolicy?

  /// Whether the caller asked for a range, which is then sent as it is and never continued.
  var hasOwnRange: Bool { fields.contains { $0.name.caseInsensitiveCompare("Range") == .orderedSame } }
}
