import Foundation

/// Decides what a response means for the file on disk. Pure: the same head and point always give the same verdict.
///
/// The aim above all others: bytes join a partial file only when the response proves that they continue it. Where the
/// proof is missing the file is fetched again; where the response has nothing to do with the file, nothing is touched.
enum ResumeRules {
  /// Judges the answer to a request that carried `point.requestFields`.
  static func verdict(for head: ResponseHead, asked point: ResumePoint) -> ResumeVerdict {
    switch head.status {
    case 206: partialContent(head, point)
    case 200: wholeContent(head, point)
    case 416: rangeNotSatisfiable(head, point)
    // Only a precondition other than If-Range gives 412; a request without one can succeed.
    case 412: .askAgain
    default: .refuse
    }
  }

  /// The fields of the original request that go out again when it is resumed.
  ///
  /// Range and the preconditions of RFC 9110 section 13.1 are ours to set: two of them in one request, or one whose
  /// failure turns the answer into 304 or 412, would make the answer mean something else.
  static func sanitizedRequestFields(_ fields: [HeaderField]) -> [HeaderField] {
    fields.filter { !ownedFieldNames.contains($0.name.lowercased()) }
  }

  /// See `sanitizedRequestFields(_:)`.
  private static let ownedFieldNames: Set<String> = [
    "range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
  ]
}

/// 206 Partial Content (RFC 9110 section 15.3.7).
extension ResumeRules {
  /// A part is appended when it is well framed, touches the end of what is there, adds to it, and belongs to the same
  /// version of the file.
  private static func partialContent(_ head: ResponseHead, _ point: ResumePoint) -> ResumeVerdict {
    guard !head.isMultipartByteRanges, head.contentCoding == nil, let slice = head.slice else { return .askAgain }
    // Some proxies answer every range with the whole file.
    if slice.isWhole { return .restart(total: slice.end) }
    // A coded record holds decoded bytes, whose offsets mean nothing to the server.
    guard point.contentCoding == nil else { return .askAgain }
    // A part that starts early overlaps the file, which is then cut; one that also ends early would only lose bytes.
    guard slice.first <= point.offset, point.offset < slice.end else { return .askAgain }
    guard totalsAgree(slice, point), isSameVersion(head, slice, point) else { return .askAgain }
    return .append(at: slice.first, end: slice.end, total: slice.total ?? point.total)
  }

  /// Whether the length of the file that the part states is the one on record. A part that states none must at least
  /// fit.
  private static func totalsAgree(_ slice: ByteSlice, _ point: ResumePoint) -> Bool {
    guard let recorded = point.total else { return true }
    guard let stated = slice.total else { return slice.end <= recorded }
    return stated == recorded
  }

  /// Whether the part belongs to the version of the file that is on disk.
  ///
  /// With a strong validator If-Range was sent, so 206 itself says so (RFC 9110 section 13.1.5) unless its fields say
  /// otherwise. With a weak tag nothing was sent: then tag, date and length must all be there and agree.
  private static func isSameVersion(_ head: ResponseHead, _ slice: ByteSlice, _ point: ResumePoint) -> Bool {
    let (held, seen) = (point.validators, head.validators)
    guard held.allowsResume, !held.contradicted(by: seen) else { return false }
    if held.ifRange != nil { return true }
    let hasDate = held.lastModified == nil || seen.lastModified != nil
    return seen.tag != nil && hasDate && slice.total != nil && slice.total == point.total
  }
}

/// 200 OK and 416 Range Not Satisfiable.
extension ResumeRules {
  /// A whole file replaces the partial one, if it is plausibly the file at all: a login page of a captive network is a
  /// 200 too, and must not cost the user what was fetched.
  private static func wholeContent(_ head: ResponseHead, _ point: ResumePoint) -> ResumeVerdict {
    guard head.contentLength != .invalid, !head.isMultipartByteRanges else { return .refuse }
    switch head.contentRange {
    case .valid(.satisfied):
      if let slice = head.slice, !slice.isWhole { return mislabelledPart(head, slice, point) }
      if head.slice == nil { return isPlausible(head, point) ? .askAgain : .refuse }
    // Perhaps a part, perhaps not. Asked without a Range the server has no reason to send a part.
    case .invalid: return isPlausible(head, point) ? .askAgain : .refuse
    case .absent, .valid(.unsatisfied): break
    }
    guard isPlausible(head, point) else { return .refuse }
    return .restart(total: head.contentCoding == nil ? head.wholeLength : nil)
  }

  /// A 200 that says it is a part. The status is wrong, so the part is used only with the best of proofs: it starts
  /// exactly where the file ends, with the same strong tag and the same length on both sides.
  private static func mislabelledPart(
    _ head: ResponseHead, _ slice: ByteSlice, _ point: ResumePoint
  ) -> ResumeVerdict {
    guard point.allowsRange, slice.first == point.offset, head.contentCoding == nil else { return .refuse }
    guard let total = point.total, slice.total == total else { return .refuse }
    guard let held = point.validators.tag, let seen = head.validators.tag, held.stronglyMatches(seen) else {
      return .refuse
    }
    return .append(at: slice.first, end: slice.end, total: total)
  }

  /// Whether a whole body looks like the file: it has a validator, or exactly the length on record.
  static func isPlausible(_ head: ResponseHead, _ point: ResumePoint) -> Bool {
    if !head.validators.isEmpty { return true }
    guard let total = point.total else { return false }
    return head.contentLength == .bytes(total)
  }

  /// 416 with the current length (RFC 9110 section 15.5.17). If that is the offset asked for, and the file is the same,
  /// nothing was left to send; this is how a download of unknown length learns that it is whole.
  private static func rangeNotSatisfiable(_ head: ResponseHead, _ point: ResumePoint) -> ResumeVerdict {
    guard case .valid(.unsatisfied(let length)) = head.contentRange else { return .askAgain }
    guard point.offset > 0, length == point.offset, point.total ?? length == length else { return .askAgain }
    let (held, seen) = (point.validators, head.validators)
    guard !held.contradicted(by: seen) else { return .askAgain }
    // Without If-Range the server did not compare, so length or tag must speak for the file.
    let isProven = point.total == length || held.ifRange != nil || (held.tag != nil && seen.tag != nil)
    return isProven ? .complete : .askAgain
  }
}

extension ResponseHead {
  /// The length of a body that is the whole file, as it is sent.
  var wholeLength: Int64? {
    if case .bytes(let count) = contentLength { return count }
    return slice.flatMap { $0.isWhole ? $0.total : nil }
  }
}
