import Foundation
import LoopbackServer
import TestSupport

/// One answer of a hostile server, as a plan that is carried out when the request is known.
///
/// A plan never lies in a way that no client could notice: a part that can be taken for the rest of what the client has
/// holds just the bytes that its head says.
struct HostileAnswer: Sendable {
  enum Shape: Sendable {
    case whole
    case part(Part)
    case multipart
    /// Any status, with a page that is not the file.
    case page(Int)
    /// 200 with a page and without validators.
    case portal
    case unsatisfiable(Refusal)
    case redirect(String)
    /// No answer of HTTP: these bytes and the end of the connection.
    case raw(String)
  }

  /// What a 206 says about its place.
  enum Part: CaseIterable, Sendable {
    case right, early, late, endsEarly, endsLate, whole, unknownTotal, otherTotal, negative, overflow, repeated
    case contradictory, otherUnit, missing, reversed, text
  }

  enum Refusal: CaseIterable, Sendable { case right, other, missing, text }

  /// What the head says about the length of the body, and how the body is framed.
  enum Framing: CaseIterable, Sendable {
    case exact, more, fewer, repeated, listed, contradictory, negative, overflow, absent, chunked, chunkedCut
  }

  /// What the head says about the version.
  enum Labels: CaseIterable, Sendable { case same, missing, weakened, foreign, dateOnly, oversized }

  enum Ending: Sendable {
    case complete
    case cut(permille: Int, Answer.Ending)
  }

  enum Extra: CaseIterable, Sendable {
    case none, interim, trailer, fieldFlood, gzip, falseGzip, refusesRanges, identity
  }

  var shape = Shape.whole
  var framing = Framing.exact
  var labels = Labels.same
  var ending = Ending.complete
  var extra = Extra.none
  /// The other version takes the place of the present one before this answer.
  var replacesFile = false
  /// A range is served although `If-Range` names another version.
  var ignoresCondition = false
}

extension HostileAnswer: CustomStringConvertible {
  /// The plan in a few words.
  var description: String {
    let marks = [replacesFile ? "replaces the file" : nil, ignoresCondition ? "ignores If-Range" : nil]
    return (["\(shape)", "\(framing)", "\(labels)", "\(ending)", "\(extra)"] + marks.compactMap { $0 })
      .joined(separator: ", ").replacing("IntegrationTests.HostileAnswer.", with: "")
  }
}

extension HostileAnswer {
  /// A plan that is likely to be nearly right: wholly wrong answers are refused early and test little.
  static func random(using generator: inout SeededGenerator, asksForRest: Bool) -> HostileAnswer {
    var answer = HostileAnswer()
    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
    if asksForRest && chance(65) {
      answer.shape = .part(chance(45) ? .right : Part.allCases.randomElement(using: &generator) ?? .right)
    } else if chance(30) {
      answer.shape = Shape.random(using: &generator)
    }
    if chance(35) { answer.framing = Framing.allCases.randomElement(using: &generator) ?? .exact }
    if chance(25) { answer.labels = Labels.allCases.randomElement(using: &generator) ?? .same }
    if chance(25) { answer.extra = Extra.allCases.randomElement(using: &generator) ?? .none }
    if chance(asksForRest ? 50 : 85) { answer.ending = Ending.random(using: &generator) }
    answer.replacesFile = chance(15)
    answer.ignoresCondition = chance(20)
    return answer
  }
}

extension HostileAnswer.Shape {
  private static let statuses = [
    203, 204, 226, 299, 300, 304, 400, 401, 403, 404, 407, 408, 410, 412, 418, 429, 451, 500, 502, 503, 504, 599, 700,
  ]
  private static let locations = ["/moved", "", "?again", "//", "ftp://127.0.0.1/file", "http://[", "#part"]
  private static let noHTTP = [
    "", "HTTP/1.1 20", "220 ready\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 99 Low\r\n\r\n", "\r\n\r\n",
    "HTTP/1.1 103 Early\r\n\r\n", "HTTP/1.1 200 OK\r\nETag: \"a1\"\r\n",
  ]

  fileprivate static func random(using generator: inout SeededGenerator) -> Self {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: .multipart
    case 1, 2: .page(statuses.randomElement(using: &generator) ?? 404)
    case 3: .portal
    case 4: .unsatisfiable(HostileAnswer.Refusal.allCases.randomElement(using: &generator) ?? .right)
    case 5: .redirect(locations.randomElement(using: &generator) ?? "")
    case 6: .raw(noHTTP.randomElement(using: &generator) ?? "")
    default: .part(HostileAnswer.Part.allCases.randomElement(using: &generator) ?? .right)
    }
  }
}

extension HostileAnswer.Ending {
  fileprivate static func random(using generator: inout SeededGenerator) -> Self {
    let permille = Int.random(in: 0..<5, using: &generator) == 0 ? 0 : Int.random(in: 0...1000, using: &generator)
    // Silence costs its timeout, so it is rare.
    let endings: [Answer.Ending] = [.close, .close, .close, .close, .reset, .reset, .reset, .reset, .hang]
    return .cut(permille: permille, endings.randomElement(using: &generator) ?? .close)
  }
}
