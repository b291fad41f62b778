import Foundation
import LoopbackServer

extension HostileAnswer {
  /// More fields than any honest server sends.
  private static let flood: [Answer.Field] = (0..<2_100).map { ("X-\($0)", "y") }
  private static let foreignTag = ("ETag", "\"x9\"")

  /// What the head says about the version.
  func fields(_ version: FileVersion, _ profile: ValidatorProfile) -> [Answer.Field] {
    let all = version.fields(profile)
    let date = all.filter { $0.0 == "Date" }
    return switch labels {
    case .same: all
    case .missing: date
    case .weakened: all.filter { $0.0 != "ETag" } + [("ETag", "W/" + version.entityTag)]
    case .foreign: all.filter { $0.0 != "ETag" } + [Self.foreignTag]
    case .dateOnly: date + [("Last-Modified", version.lastModified)]
    case .oversized: all.filter { $0.0 != "ETag" } + [("ETag", "\"" + String(repeating: "e", count: 5_000) + "\"")]
    }
  }

  /// Whether a download that these fields describe can be continued (RFC 9110 sections 8.8.2.2 and 13.1.5).
  func allowsResume(_ profile: ValidatorProfile) -> Bool {
    let hasOldDate = [.tagAndDate, .weakTagAndDate, .date].contains(profile)
    return switch labels {
    case .same: profile != .none && profile != .freshDate
    case .missing: false
    case .weakened, .foreign: true
    case .dateOnly: profile != .freshDate
    case .oversized: hasOldDate
    }
  }

  var extraFields: [Answer.Field] {
    switch extra {
    case .none, .interim, .trailer: []
    case .fieldFlood: Self.flood
    case .gzip, .falseGzip: [("Content-Encoding", "gzip")]
    case .refusesRanges: [("Accept-Ranges", "none")]
    case .identity: [("Content-Encoding", "identity"), ("Accept-Ranges", "bytes, none")]
    }
  }
}

extension HostileAnswer.Refusal {
  func fields(_ version: FileVersion) -> [Answer.Field] {
    switch self {
    case .right: [("Content-Range", "bytes */\(version.bytes.count)")]
    // Never the offset of the client, which it would have to believe.
    case .other: [("Content-Range", "bytes */\(version.bytes.count + 1)")]
    case .missing: []
    case .text: [("Content-Range", "bytes x/y")]
    }
  }
}

extension HostileAnswer.Part {
  /// The values of `Content-Range`, and the bytes that follow.
  func placed(_ start: Int64, _ total: Int64) -> ([String], Range<Int64>) {
    let rest = start..<total
    let last = total - 1
    let right = "bytes \(start)-\(last)/\(total)"
    switch self {
    case .right: return ([right], rest)
    case .early:
      let first = max(0, start - 1_000)
      return (["bytes \(first)-\(last)/\(total)"], first..<total)
    case .late:
      let first = min(last, start + 1)
      return (["bytes \(first)-\(last)/\(total)"], first..<total)
    case .endsEarly:
      let end = start + max(1, (total - start) / 2)
      return (["bytes \(start)-\(end - 1)/\(total)"], start..<end)
    case .endsLate: return (["bytes \(start)-\(total)/\(total)"], start..<(total + 1))
    case .whole: return (["bytes 0-\(last)/\(total)"], 0..<total)
    case .unknownTotal: return (["bytes \(start)-\(last)/*"], rest)
    case .otherTotal: return (["bytes \(start)-\(last)/\(total + 1)"], rest)
    case .negative: return (["bytes -\(start)-\(last)/\(total)"], rest)
    case .overflow: return (["bytes \(start)-\(last)/99999999999999999999"], rest)
    case .repeated: return ([right, right], rest)
    case .contradictory: return ([right, "bytes 0-\(last)/\(total)"], rest)
    case .otherUnit: return (["items \(start)-\(last)/\(total)"], rest)
    case .missing: return ([], rest)
    case .reversed: return (["bytes \(last)-\(start)/\(total)"], rest)
    case .text: return (["bytes all"], rest)
    }
  }
}
