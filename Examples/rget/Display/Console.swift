import Foundation
import Synchronization

/// Shows what happens: a block of lines that is redrawn on a terminal, plain lines elsewhere, and events for programs.
final class Console: Sendable {
  /// What is shown at all.
  struct Style: Equatable, Sendable {
    var isTerminal: Bool
    var isColoured = false
    var isQuiet = false
    var isVerbose = false
    var isJSON = false
  }

  private struct State {
    var board: Board
    var canvas = Canvas()
    var nextPlain = Console.plainInterval
    var nextEvent: [Int: Double] = [:]
    var isClosed = false
  }

  /// Nothing is drawn before, so that what is quick stays quiet.
  private static let firstFrame = 0.5
  private static let plainInterval = 10.0
  private static let eventInterval = 1.0

  let style: Style
  private let start = ContinuousClock.now
  private let state: Mutex<State>

  init(count: Int, style: Style) {
    self.style = style
    state = Mutex(State(board: Board(count: count)))
  }

  private var now: Double { start.duration(to: .now) / .seconds(1) }

  /// A line that stays, unless only failures are to be shown.
  func message(_ text: String, isFailure: Bool = false) {
    guard isFailure || !style.isQuiet else { return }
    let text = isFailure && style.isColoured ? "\u{1B}[31m\(text)\u{1B}[0m" : text
    state.withLock { write([text], &$0) }
  }

  func verbose(_ lines: @autoclosure () -> [String]) {
    guard style.isVerbose else { return }
    state.withLock { write(lines(), &$0) }
  }

  func event(_ event: @autoclosure () -> JSONEvent) {
    guard style.isJSON else { return }
    state.withLock { _ in Output.result(event().line) }
  }

  /// Changes what is known about the downloads; it is shown with the next frame.
  func change(_ change: (inout Board, Double) -> Void) {
    state.withLock { change(&$0.board, now) }
  }

  /// Whether an event about the progress of a download is due.
  func isProgressEventDue(_ number: Int) -> Bool {
    guard style.isJSON else { return false }
    return state.withLock { state in
      guard now >= state.nextEvent[number, default: 0] else { return false }
      state.nextEvent[number] = now + Self.eventInterval
      return true
    }
  }

  /// Takes the block away and shows nothing more of it.
  func close() {
    state.withLock { state in
      state.isClosed = true
      if !state.canvas.isEmpty { Output.raw(state.canvas.frame([], width: Output.size.columns)) }
    }
  }

  private func write(_ messages: [String], _ state: inout State) {
    guard style.isTerminal, !state.canvas.isEmpty else { return messages.forEach(Output.message) }
    Output.raw(state.canvas.frame(lines(state), messages: messages, width: Output.size.columns))
  }

  /// Draws what has changed, if it is time.
  func tick() {
    state.withLock { state in
      let time = now
      if !state.isClosed { tellSilence(&state, time) }
      guard !state.isClosed, !style.isQuiet, time >= Self.firstFrame else { return }
      if style.isTerminal {
        guard !state.board.isIdle || !state.canvas.isEmpty else { return }
        let lines = lines(state)
        if !state.canvas.shows(lines) { Output.raw(state.canvas.frame(lines, width: Output.size.columns)) }
      } else if time >= state.nextPlain {
        state.nextPlain = time + Self.plainInterval
        for row in state.board.table(at: time).rows {
          Output.message(row.plainLine)
        }
      }
    }
  }

  /// On a terminal the lines show it.
  private func tellSilence(_ state: inout State, _ time: Double) {
    for name in state.board.takeSilent(at: time) {
      if style.isJSON { Output.result(JSONEvent(event: .waiting, file: name).line) }
      if !style.isTerminal, !style.isQuiet { Output.message("\(name): nothing arrives, waiting for the network") }
    }
  }

  private func lines(_ state: State) -> [String] {
    let size = Output.size
    // The last column stays free: writing into it makes some terminals wrap. So does the line of the cursor.
    return state.board.table(at: now, rows: size.lines - 1).lines(
      width: max(1, size.columns - 1), isColoured: style.isColoured)
  }
}
