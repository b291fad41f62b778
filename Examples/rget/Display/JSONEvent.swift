import Foundation

/// One line of `--json`. Fields that say nothing are left out; sizes and offsets are bytes.
struct JSONEvent: Codable, Equatable, Sendable {
  enum Kind: String, Codable, Sendable, CaseIterable {
    /// A download begins: `url`, `file`.
    case start
    /// It goes on with what an earlier run has left: `offset`.
    case resume
    /// At most once a second for each download: `received`, `total`.
    case progress
    /// Nothing has come for some seconds: `file`.
    case waiting
    /// The file is complete and in its place: `file`, `received`.
    case saved
    /// There was nothing to do, because the file is complete already: `file`.
    case skipped
    /// It has ended without the file: `error`, `status` (the exit status for it alone), `offset` if a rerun continues.
    case failed
    /// It was stopped: `offset` if a rerun continues.
    case stopped
    /// The last line: `status` (the exit status), `complete`, `incomplete`.
    case end
  }

  var event: Kind
  var url: String?
  var file: String?
  var offset: Int64?
  var received: Int64?
  var total: Int64?
  var error: String?
  var status: Int32?
  var complete: Int?
  var incomplete: Int?

  /// The event as one line.
  var line: String { String(decoding: CompactJSON.encode(self), as: UTF8.self) }
}
