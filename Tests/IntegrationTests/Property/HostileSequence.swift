import Foundation
import LoopbackServer
import Synchronization
import TestSupport

/// A server that answers with a generated sequence, and honestly when that is at its end.
final class HostileSequence: Sendable {
  private struct State: Sendable {
    var script: [HostileAnswer]
    var current = 0
    var accounts: [Account] = []
  }

  let seed: UInt64
  let profile: ValidatorProfile
  let versions: [FileVersion]
  /// Whether the client tries again by itself.
  let retries: Bool
  private let plan: [HostileAnswer]
  private let state: Mutex<State>

  /// The same seed gives the same sequence.
  init(seed: UInt64) {
    self.seed = seed
    var generator = SeededGenerator(seed: seed)
    profile =
      Int.random(in: 0..<3, using: &generator) > 0
      ? .tagAndDate : ValidatorProfile.allCases.randomElement(using: &generator) ?? .none
    versions = FileVersion.pair(using: &generator)
    retries = Int.random(in: 0..<4, using: &generator) == 0
    let count = Int.random(in: 1...5, using: &generator)
    plan = (0..<count).map { HostileAnswer.random(using: &generator, asksForRest: $0 > 0) }
    state = Mutex(State(script: plan))
  }

  func answer(_ request: ReceivedRequest) -> Answer {
    state.withLock { state in
      guard !state.script.isEmpty else { return honest(request, &state) }
      let next = state.script.removeFirst()
      if next.replacesFile { state.current = 1 - state.current }
      let (answer, account) = next.play(request, versions[state.current], profile)
      state.accounts.append(account)
      return answer
    }
  }

  private func honest(_ request: ReceivedRequest, _ state: inout State) -> Answer {
    let version = versions[state.current]
    var account = Account(target: request.target, hadRange: request.rangeStart != nil)
    account.whole = version.bytes
    state.accounts.append(account)
    let tag = version.fields(profile).first { $0.0 == "ETag" }?.1
    let date = version.fields(profile).first { $0.0 == "Last-Modified" }?.1
    return RangeResource(.init(.data(version.bytes), entityTag: tag, lastModified: date)).answer(request)
  }

  /// Whether the answers that follow are honest.
  var isOver: Bool { state.withLock { $0.script.isEmpty } }

  /// The version that is served now.
  var current: FileVersion { versions[state.withLock { $0.current }] }

  /// What was answered, in order.
  var accounts: [Account] { state.withLock { $0.accounts } }

  /// The plan in words, for the message of a failing test.
  var text: String {
    let lines = plan.map { "  \($0)" }.joined(separator: "\n")
    let sizes = versions.map { "\($0.name): \($0.bytes.count)" }.joined(separator: ", ")
    return "seed \(seed), \(profile), \(sizes)\(retries ? ", with retries" : "")\n\(lines)"
  }
}
