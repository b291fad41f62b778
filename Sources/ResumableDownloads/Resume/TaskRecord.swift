internal import Foundation

/// What is known on disk of one task of a session with an identifier: all that a later process needs to have the task
/// again.
///
/// The bytes and their journal lie elsewhere, under a name that never changes; so the record changes rarely.
struct TaskRecord: Codable, Sendable, Equatable {
  /// What the task does, also after the process has ended.
  enum State: String, Codable, Sendable {
    /// Suspended, or never resumed: it stays so.
    case suspended
    case running
    /// Cancelled, and the delegate has not been told.
    case cancelled
    /// Cancelled by producing resume data, and the delegate has not been told.
    case paused
  }

  /// Where the finished file goes by itself.
  struct Destination: Codable, Sendable, Equatable {
    var path: String
    var replacesExisting: Bool
  }

  /// The head of the last answer, for `response`.
  struct Response: Codable, Sendable, Equatable {
    var url: String
    var status: Int
    var version: String
    var fields: [HeaderField]
  }

  /// The whole file, by what a move leaves as it is, so that it is known again at its destination.
  struct FinishedFile: Codable, Sendable, Equatable {
    var inode: UInt64
    var size: Int64
    /// When its contents last changed, in seconds since 1970.
    var modified: Double
  }

  /// Tells this format from every other.
  var format = Self.format
  /// Raised when an older reader would misunderstand. New optional fields do not raise it; readers ignore them.
  var version = Self.version
  /// `taskIdentifier`.
  var identifier: Int
  var state = State.suspended
  var request: RecordedRequest
  /// The name of the partial file without its ending, in the session's folder.
  var partialStem: String
  /// What the task was made from, if it continues a download.
  var resumeData: Data?
  var destination: Destination?
  /// Whether a status of 400 and above is an error.
  var validatesStatus = false
  /// `taskDescription`.
  var description: String?
  var priority: Float = 0.5
  /// `earliestBeginDate` in seconds since 1970.
  var beginTime: Double?
  var response: Response?
  /// Set before the finished file is moved to its destination.
  var finished: FinishedFile?
  /// Whether the delegate may have been given the finished file.
  var isHandedOver = false

  static let format = "ResumableDownloads.Task"
  static let version = 1
}

extension TaskRecord.Response {
  /// What of a head is kept, which is all but cookies; `nil` when it could not be read back.
  init?(_ head: ResponseHead) {
    let fields = head.fields.filter { !$0.isNamed("Set-Cookie") }
    self.init(url: head.url, status: head.status, version: head.version, fields: fields)
    guard isValid else { return nil }
  }

  var head: ResponseHead {
    ResponseHead(url: url, status: status, version: version, reason: "", fields: fields)
  }

  var isValid: Bool {
    let size = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    return (100...999).contains(status) && url.utf8.count <= ResumeDataRecord.maximumURLByteCount
      && version.utf8.count <= ResumeDataRecord.maximumTextByteCount && fields.count <= ResponseHead.maximumFieldCount
      && size <= ResponseHead.maximumByteCount && fields.allSatisfy(\.isWellFormed)
  }
}
