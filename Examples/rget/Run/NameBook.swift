import Foundation
import Synchronization

/// Which download of a run has which name.
///
/// A server may name a file otherwise than its URL does. Such names are given in the order of the plan, whatever the
/// order of the answers, so that the next run gives the same ones.
final class NameBook: Sendable {
  private struct State {
    /// Who has which name.
    var owners: [String: Int]
    /// Whose name is not certain yet.
    var open: Set<Int>
    var waiting: [(number: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// Nobody before that one can take a name any more.
    func isTurn(of number: Int) -> Bool { number <= open.min() ?? .max }
  }

  private let state: Mutex<State>
  /// What stands for the URLs of the run.
  private let sources: Set<String>

  init(_ entries: [Entry]) {
    sources = Set(entries.map(\.source))
    state = Mutex(
      State(
        owners: Dictionary(entries.map { ($0.path, $0.number) }) { first, _ in first },
        open: Set(entries.lazy.filter { !$0.isNameFixed }.map(\.number))))
  }

  /// The name for an entry whose server suggests one: that, or with a number if another download of the run has it or
  /// has saved a file of that name in an earlier run.
  func name(for entry: Entry, suggested: String) async -> String {
    let isOwn = suggested == entry.urlName
    if !isOwn { await turn(of: entry.number) }
    defer { settle(entry.number) }
    if isOwn { return entry.name }
    var (name, number) = (suggested, 1)
    while !isFree(Entry.path(entry.directory, name), for: entry) {
      number += 1
      name = FileName.numbered(suggested, number)
    }
    return name
  }

  /// The entry takes no further name.
  func settle(_ number: Int) {
    let ready = state.withLock { state in
      state.open.remove(number)
      let (waiting, first) = (state.waiting, state.open.min() ?? .max)
      state.waiting = waiting.filter { $0.number > first }
      return waiting.filter { $0.number <= first }
    }
    for waiter in ready { waiter.continuation.resume() }
  }

  private func turn(of number: Int) async {
    await withCheckedContinuation { continuation in
      let isTurn = state.withLock { state in
        let isTurn = state.isTurn(of: number)
        if !isTurn { state.waiting.append((number, continuation)) }
        return isTurn
      }
      if isTurn { continuation.resume() }
    }
  }

  private func isFree(_ path: String, for entry: Entry) -> Bool {
    !isOthers(path, entry) && claim(path, entry.number)
  }

  private func claim(_ path: String, _ number: Int) -> Bool {
    state.withLock { state in
      let owner = state.owners[path] ?? number
      state.owners[path] = owner
      return owner == number
    }
  }

  /// Whether a file is there that an earlier run has saved for another URL of this one.
  private func isOthers(_ path: String, _ entry: Entry) -> Bool {
    guard let source = SavedVersion(of: path)?.source else { return false }
    return source != entry.source && sources.contains(source)
  }
}
