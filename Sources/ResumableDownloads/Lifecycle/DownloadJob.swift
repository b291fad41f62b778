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
  /// Whether a status of 400 and above is an error; with a destination it always is.
  var validatesStatus = false
  /// For a task of a session with an identifier: the name without its ending under which a later process finds the
  /// bytes.
  var partialStem: String?
  /// Seconds without a byte.
  var inactivityTimeout: Double
  /// Seconds for the whole download.
  var totalTimeout: Double
  var options = TransferOptions()
  var retryPolicy: RetryPolicy?
  /// Whether a missing network is waited for.
  var waitsForConnectivity = false
  /// Names of fields, in lower case, that never go into resume data.
  var unrecordedFields: Set<String> = []

  /// The fields that go into resume data.
  var recordedFields: [HeaderField] { fields.filter { !unrecordedFields.contains($0.name.lowercased()) } }

  /// Whether the caller asked for a range, which is then sent as it is and never continued.
  var hasOwnRange: Bool { fields.contains { $0.isNamed("Range") } }
}

extension DownloadJob {
  /// The same with another request.
  func asking(_ request: RedirectHop) -> DownloadJob {
    var job = self
    (job.url, job.method, job.fields, job.body) = (request.url, request.method, request.fields, request.body)
    return job
  }
}

/// What becomes of a download whose begin date has come.
enum DelayedStart: Sendable {
  case asPlanned
  case instead(RedirectHop)
  case cancel
}
