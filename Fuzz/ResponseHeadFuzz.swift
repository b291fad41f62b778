internal import Foundation

/// A response head as a hostile server would send it, and what every rule makes of it.
@Sendable func fuzzResponseHead(_ input: UnsafeRawBufferPointer) {
  let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false)
    .map { String(decoding: $0, as: UTF8.self) + "\n" }
  guard
    let head = ResponseHead.parse(
      statusLine: lines.first ?? "", fieldLines: Array(lines.dropFirst()), url: "http://localhost/f")
  else { return }
  precondition((100...999).contains(head.status))
  _ = (head.contentLength, head.contentCoding, head.isMultipartByteRanges, head.refusesRanges, head.retryAfter)
  let name = SuggestedFilename.make(contentDisposition: head.value("Content-Disposition"), urlString: head.url)
  precondition(!name.hasPrefix(".") && !name.contains("/"), "a name that leaves its folder")
  if let slice = head.slice { precondition(slice.first >= 0 && slice.first < slice.end) }
  _ = ResumeRules.freshVerdict(for: head, callerSentRange: false, method: "GET")
  for total in [nil, 1000] as [Int64?] {
    let point = ResumePoint(offset: 400, total: total, validators: head.validators, contentCoding: nil)
    if case .append(let at, let end, _) = ResumeRules.verdict(for: head, asked: point) {
      precondition(at <= 400 && end > 400, "a part that does not touch the end of the file")
    }
  }
}
