import Foundation
import LoopbackServer
import TestSupport

/// What a hostile server says about the version of its file, the same for a whole sequence of answers.
enum ValidatorProfile: CaseIterable, Sendable {
  case tagAndDate, tag, weakTagAndDate, weakTag, date
  /// As old as the answer, so that it identifies no version (RFC 9110 section 8.8.2.2).
  case freshDate
  case none
}

/// One version of the file.
struct FileVersion: Sendable {
  static let answerDate = "Tue, 02 Jan 2024 10:00:00 GMT"
  static let sizes = [20_000, 65_536, 100_003, 200_000]
  private static let first = Payload.bytes(seed: 101, count: 200_000)
  private static let second = Payload.bytes(seed: 102, count: 200_000)

  let name: String
  let bytes: Data
  let lastModified: String

  var entityTag: String { "\"\(name)1\"" }

  /// Two versions, of the same length or not.
  static func pair(using generator: inout SeededGenerator) -> [FileVersion] {
    let count = sizes.randomElement(using: &generator) ?? 20_000
    let other = Bool.random(using: &generator) ? count : sizes.randomElement(using: &generator) ?? count
    return [
      FileVersion(name: "a", bytes: first.prefix(count), lastModified: "Mon, 01 Jan 2024 10:00:00 GMT"),
      FileVersion(name: "b", bytes: second.prefix(other), lastModified: "Mon, 01 Jan 2024 11:00:00 GMT"),
    ]
  }

  /// The validators that the profile shows, with the date that makes them strong or weak.
  func fields(_ profile: ValidatorProfile) -> [Answer.Field] {
    let date = ("Date", Self.answerDate)
    let modified = ("Last-Modified", lastModified)
    return switch profile {
    case .tagAndDate: [date, ("ETag", entityTag), modified]
    case .tag: [date, ("ETag", entityTag)]
    case .weakTagAndDate: [date, ("ETag", "W/" + entityTag), modified]
    case .weakTag: [date, ("ETag", "W/" + entityTag)]
    case .date: [date, modified]
    case .freshDate: [("Date", lastModified), modified]
    case .none: [date]
    }
  }

  /// Whether an `If-Range` names this version.
  func satisfies(_ condition: String) -> Bool { condition == entityTag || condition == lastModified }

  /// Whether the bytes begin this version.
  func begins(with part: Data) -> Bool { bytes.starts(with: part) }
}
