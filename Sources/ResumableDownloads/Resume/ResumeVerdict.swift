import Foundation

/// What the answer to a request for the rest of a file means.
enum ResumeVerdict: Sendable, Equatable {
  /// The body continues the partial file.
  ///
  /// The file is cut to `at` first, which is at most the offset asked for. The body ends before `end`, and bytes beyond
  /// that are ignored. `total` is the length of the whole file, nil when neither the answer nor the record knows it.
  /// When `end` is less than `total`, the rest is asked for in the same task.
  case append(at: Int64, end: Int64, total: Int64?)
  /// The body is the whole file, perhaps another version of it: it goes into a fresh partial file. `total` is nil when
  /// the length is unknown.
  case restart(total: Int64?)
  /// There is nothing left to fetch: the file on disk is whole.
  case complete
  /// The body is of no use, and the partial file cannot be continued with this server's answers: nothing of the body is
  /// kept, and the file is asked for once more from the start, without a Range.
  case askAgain
  /// The answer says nothing about the file. The task fails; partial file and resume data stay as they were.
  case refuse
}

/// What the answer to a request for a whole file means.
enum FreshVerdict: Sendable, Equatable {
  /// The body becomes the file. `total` is its length if known, which that of a coded body never is, and `resumable`
  /// tells whether the download can be continued later if it is interrupted.
  case accept(total: Int64?, resumable: Bool)
  /// The body cannot be read as the file that was asked for.
  case refuse
}
