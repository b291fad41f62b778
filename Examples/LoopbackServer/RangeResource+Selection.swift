import Foundation

extension RangeResource.Version {
  /// What of the representation a request gets.
  enum Selection: Equatable {
    case whole
    case part(Range<Int64>)
    case unsatisfiable
  }

  /// The fields of every answer except those about the body's length and place.
  var allFields: [Answer.Field] {
    let date = ("Date", HTTPDate.string(Date()))
    let validators = [("ETag", entityTag), ("Last-Modified", lastModified)].compactMap { name, value in
      value.map { (name, $0) }
    }
    return [date, ("Accept-Ranges", "bytes")] + validators + fields
  }

  /// RFC 9110, sections 13.1.5 and 14.2. A range that is invalid, or that asks for several parts, is ignored.
  func range(for request: ReceivedRequest) -> Selection {
    let ranges = request.values("Range")
    guard ranges.count == 1, isCurrent(request.values("If-Range")) else { return .whole }
    let parts = ranges[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].lowercased() == "bytes" else { return .whole }
    return selection(parts[1])
  }

  private func selection(_ text: Substring) -> Selection {
    let total = content.count
    let bounds = text.split(separator: "-", omittingEmptySubsequences: false)
    guard bounds.count == 2, bounds.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }) else { return .whole }
    switch (Int64(bounds[0]), Int64(bounds[1])) {
    case (let first?, let last?):
      if last < first { return .whole }
      return first < total ? .part(first..<min(last, total - 1) + 1) : .unsatisfiable
    case (let first?, nil) where bounds[1].isEmpty:
      return first < total ? .part(first..<total) : .unsatisfiable
    case (nil, let suffix?) where bounds[0].isEmpty:
      return suffix > 0 && total > 0 ? .part(max(0, total - suffix)..<total) : .unsatisfiable
    default: return .whole
    }
  }

  /// Strong comparison for a tag, exact equality for a date.
  private func isCurrent(_ conditions: [String]) -> Bool {
    guard let condition = conditions.first else { return true }
    guard conditions.count == 1 else { return false }
    if condition.hasPrefix("\"") { return condition == entityTag }
    return !condition.hasPrefix("W/") && condition == lastModified
  }
}
