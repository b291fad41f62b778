/// Where a download is to continue, and what proves that an answer continues it.
struct ResumePoint: Sendable, Equatable {
  var offset: Int64
  var total: Int64?
  var validators: Validators
  var contentCoding: String?

  /// The fields that ask for the rest: an open range, and `If-Range` when there is a strong validator.
  var requestFields: [HeaderField] {
    guard offset > 0 else { return [] }
    let range = HeaderField(name: "Range", value: "bytes=\(offset)-")
    return [range] + (validators.ifRange.map { [HeaderField(name: "If-Range", value: $0)] } ?? [])
  }
}

/// What an answer to a request with `Range` means.
enum ResumeVerdict: Sendable, Equatable {
  /// Cut the partial to `at`, append up to `end` (exclusive).
  case append(at: Int64, end: Int64, total: Int64?)
  /// The body is the whole file: write it anew.
  case restart(total: Int64?)
  /// All bytes are there.
  case complete
  /// Use nothing of the body; ask once more without `Range`.
  case askAgain
  /// An error; the partial stays untouched.
  case refuse
}

/// What an answer to a request without `Range` means.
enum FreshVerdict: Sendable, Equatable {
  case accept(total: Int64?, coding: String?, resumable: Bool)
  case refuse
}

/// The rules of what may be added to a file (RFC 9110 sections 13.1.5, 14 and 15.3.7): pure functions.
enum ResumeRules {
  private static let conditionalFields: Set<String> = [
    "range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
  ]

  /// The caller's fields without those that would change what a range request means.
  static func sanitizedRequestFields(_ fields: [HeaderField]) -> [HeaderField] {
    fields.filter { !conditionalFields.contains($0.name.lowercased()) }
  }

  static func verdict(for head: ResponseHead, asked point: ResumePoint) -> ResumeVerdict {
    switch head.status {
    case 206: partial(head, point)
    case 200: whole(head, point)
    case 416: unsatisfiable(head, point)
    case 412: .askAgain
    default: .refuse
    }
  }

  private static func partial(_ head: ResponseHead, _ point: ResumePoint) -> ResumeVerdict {
    guard !head.isMultipartByteRanges, head.contentCoding == point.contentCoding, head.contentLength != .invalid,
      case .valid(.satisfied(let first, let last, let total)) = head.contentRange
    else { return .askAgain }
    if case .bytes(let length) = head.contentLength, length != last - first + 1 { return .askAgain }
    if first == 0, let total, last == total - 1, point.offset > 0 { return wholeInParts(head, point, total) }
    guard first <= point.offset, last >= point.offset || last == point.offset - 1, proves(head, total, point) else {
      return .askAgain
    }
    if let total, let known = point.total, total != known { return .askAgain }
    let known = total ?? point.total
    guard known.map({ last < $0 }) ?? true else { return .askAgain }
    // Without any total the end of this part is the end of the file as far as anybody knows.
    return .append(at: first, end: last + 1, total: known ?? last + 1)
  }

  /// A 206 that carries everything is a full body. Of the same version it may also be cut to the start.
  private static func wholeInParts(_ head: ResponseHead, _ point: ResumePoint, _ total: Int64) -> ResumeVerdict {
    .restart(total: total)
  }

  /// Whether the answer is of the version that the partial is of.
  private static func proves(_ head: ResponseHead, _ total: Int64?, _ point: ResumePoint) -> Bool {
    let held = point.validators
    let theirs = head.validators
    guard !held.contradicted(by: theirs) else { return false }
    if held.ifRange != nil { return true }
    // Only a weak tag: everything that is known has to agree.
    guard let tag = held.tag, let their = theirs.tag, tag.weaklyMatches(their) else { return false }
    return held.lastModified == theirs.lastModified && total == point.total
  }

  private static func whole(_ head: ResponseHead, _ point: ResumePoint) -> ResumeVerdict {
    guard head.contentLength != .invalid, head.contentRange != .invalid else { return .refuse }
    if case .valid(let range) = head.contentRange {
      guard case .satisfied(let first, let last, let total?) = range else { return .refuse }
      if first != 0 || last != total - 1 { return slice(head, point, first, last, total) }
    }
    var length: Int64?
    if head.contentCoding == nil, case .bytes(let bytes) = head.contentLength { length = bytes }
    let isPlausible = !head.validators.isEmpty || (length != nil && length == point.total)
    return isPlausible ? .restart(total: length) : .refuse
  }

  /// Status 200, yet only the slice that was asked for: used when everything else proves it.
  private static func slice(
    _ head: ResponseHead, _ point: ResumePoint, _ first: Int64, _ last: Int64, _ total: Int64
  ) -> ResumeVerdict {
    guard first == point.offset, last == total - 1, total == point.total, head.contentCoding == nil,
      head.contentLength == .bytes(last - first + 1), let mine = point.validators.tag,
      let theirs = head.validators.tag, mine.stronglyMatches(theirs)
    else { return .refuse }
    return .append(at: first, end: last + 1, total: total)
  }

  private static func unsatisfiable(_ head: ResponseHead, _ point: ResumePoint) -> ResumeVerdict {
    guard case .valid(.unsatisfied(let total)) = head.contentRange, total == point.offset,
      point.total == nil || point.total == total, !point.validators.contradicted(by: head.validators)
    else { return .askAgain }
    return .complete
  }

  static func freshVerdict(for head: ResponseHead, callerSentRange: Bool, method: String) -> FreshVerdict {
    guard head.contentLength != .invalid else { return .refuse }
    let coding = head.contentCoding
    var total: Int64?
    if coding == nil, case .bytes(let length) = head.contentLength { total = length }
    if callerSentRange { return .accept(total: total, coding: coding, resumable: false) }
    if head.status == 206 || head.contentRange != .absent && head.status == 200 {
      guard case .valid(.satisfied(0, let last, let whole?)) = head.contentRange, last == whole - 1,
        !head.isMultipartByteRanges
      else { return .refuse }
      total = coding == nil ? whole : nil
    }
    let resumable = head.status == 200 && method == "GET" && coding == nil && head.validators.allowsResume
    return .accept(total: total, coding: coding, resumable: resumable && !head.refusesRanges)
  }
}
