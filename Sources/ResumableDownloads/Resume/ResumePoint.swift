import Foundation

/// Where a download stands: what it asks for next, and what the answer is measured against.
struct ResumePoint: Sendable, Equatable {
  /// How many bytes of the file are on disk and kept.
  var offset: Int64
  /// The length of the whole file, if an earlier response stated it.
  var total: Int64?
  /// What identifies the version of the file that the bytes on disk belong to.
  var validators: Validators
  /// The content coding of the response that delivered them. Coded bodies are stored decoded, so an offset in such a
  /// file is not an offset that a server could continue from.
  var contentCoding: String?

  /// Whether asking for the rest makes sense.
  var allowsRange: Bool { offset > 0 && contentCoding == nil && validators.allowsResume }

  /// The fields that ask for the rest: an open-ended Range (RFC 9110 section 14.2), and If-Range whenever one may be
  /// sent, so that a file that has changed comes whole.
  ///
  /// Empty at offset 0, because `bytes=0-` asks for nothing else than no Range, yet some servers get it wrong; and
  /// empty without a validator, because then no answer could be trusted to continue the file.
  var requestFields: [HeaderField] {
    guard allowsRange else { return [] }
    let range = HeaderField(name: "Range", value: "bytes=\(offset)-")
    guard let ifRange = validators.ifRange else { return [range] }
    return [range, HeaderField(name: "If-Range", value: ifRange)]
  }
}
