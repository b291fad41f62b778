import Foundation

/// Answers to requests that asked for the file from its start, or that carry a Range of the caller's own.
extension ResumeRules {
  /// Judges the answer to a request without a Range of ours.
  ///
  /// Any final status gives a file, as on Apple's systems: a page that says 404 is a file too. Refused is only what
  /// cannot be read as the thing asked for: a body of contradictory length, and a part nobody asked for.
  static func freshVerdict(for head: ResponseHead, callerSentRange: Bool, method: String) -> FreshVerdict {
    guard head.status >= 200, head.contentLength != .invalid else { return .refuse }
    guard callerSentRange || isWholeBody(head) else { return .refuse }
    let isCoded = head.contentCoding != nil
    return .accept(
      total: isCoded ? nil : bodyLength(head, callerSentRange: callerSentRange, method: method),
      resumable: !callerSentRange && isResumable(head, method: method))
  }

  /// Whether the body is the whole of something. 206 must say so itself. On 200 a Content-Range has no meaning (RFC
  /// 9110 section 14.4), yet one that plainly names a part is believed, since storing a part as the file would be
  /// worse.
  private static func isWholeBody(_ head: ResponseHead) -> Bool {
    guard !head.isMultipartByteRanges else { return false }
    switch head.status {
    case 206: return head.slice?.isWhole == true
    case 200:
      guard case .valid(.satisfied(let first, let last, let total)) = head.contentRange else { return true }
      return ByteSlice(first: first, end: last + 1, total: total).isWhole
    default: return true
    }
  }

  /// The length of the body that follows. Answers to HEAD, 204 and 304 have none, though a Content-Length may stand
  /// there (RFC 9110 section 8.6).
  private static func bodyLength(_ head: ResponseHead, callerSentRange: Bool, method: String) -> Int64? {
    if method == "HEAD" || head.status == 204 || head.status == 304 { return 0 }
    if case .bytes(let count) = head.contentLength { return count }
    return !callerSentRange && (head.status == 200 || head.status == 206) ? head.wholeLength : nil
  }

  /// Whether an interrupted download of this body can be continued: ranges are defined for GET only (RFC 9110 section
  /// 14.2), must count bytes of the file and not of a coding, and need a validator.
  private static func isResumable(_ head: ResponseHead, method: String) -> Bool {
    head.status == 200 && method == "GET" && head.contentCoding == nil
      && head.validators.allowsResume && !head.refusesRanges
  }
}
