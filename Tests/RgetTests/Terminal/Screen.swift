import Foundation

@testable import rget

/// What a terminal shows: text, line ends, the cursor upwards, and the three ways of erasing that `rget` uses.
struct Screen: Sendable, Equatable {
  private(set) var lines: [String] = [""]
  private(set) var row = 0
  /// In columns.
  private(set) var column = 0
  /// What it was told and does not know; a test expects it to stay empty.
  private(set) var unknown: [String] = []
  private var columns: Int
  private var pending = Data()

  init(columns: Int) {
    self.columns = columns
  }

  /// The lines that are not empty at the end.
  var text: [String] { Array(lines[...(lines.lastIndex { !$0.isEmpty } ?? 0)]) }

  /// Terminals wrap what no longer fits; lines here hold text up to the cursor only.
  mutating func resize(columns: Int) {
    let cursor = lines[..<row].map { max(1, ($0.count + columns - 1) / columns) }.reduce(0, +)
    lines = lines.flatMap { line in
      line.isEmpty
        ? [""] : stride(from: 0, to: line.count, by: columns).map { String(line.dropFirst($0).prefix(columns)) }
    }
    (row, self.columns) = (cursor, columns)
  }

  mutating func write(_ data: Data) {
    pending.append(data)
    // A character or an escape sequence may come in two pieces.
    guard let text = String(validating: pending, as: UTF8.self) else { return }
    var rest = Substring(text)
    while let first = rest.unicodeScalars.first {
      guard first != "\u{1B}" else {
        guard let end = rest.dropFirst(2).firstIndex(where: \.isLetter) else { break }
        escape(rest.dropFirst(2)[..<end], rest[end])
        rest = rest[rest.index(after: end)...]
        continue
      }
      let character = rest.removeFirst()
      put(character)
    }
    pending = Data(rest.utf8)
  }

  private mutating func put(_ character: Character) {
    switch character {
    case "\r\n":
      column = 0
      down()
    case "\n": down()
    case "\r": column = 0
    default:
      let width = TextWidth.columns(character)
      if column + width > columns {
        column = 0
        down()
      }
      // Redrawing always starts in the first column, so what was there from here on is overwritten.
      lines[row] = prefix(lines[row], columns: column) + String(character) + suffix(lines[row], from: column + width)
      column += width
    }
  }

  private mutating func down() {
    row += 1
    if row == lines.count { lines.append("") }
  }

  private mutating func escape(_ number: Substring, _ command: Character) {
    switch command {
    case "A": row = max(0, row - (Int(number) ?? 1))
    case "K": lines[row] = prefix(lines[row], columns: column)
    case "J":
      lines[row] = prefix(lines[row], columns: column)
      lines.removeSubrange((row + 1)...)
    case "m": break
    default: unknown.append("\(number)\(command)")
    }
  }

  private func prefix(_ line: String, columns: Int) -> String {
    var room = columns
    return String(
      line.prefix { character in
        room -= TextWidth.columns(character)
        return room >= 0
      })
  }

  private func suffix(_ line: String, from column: Int) -> String {
    String(line.dropFirst(prefix(line, columns: column).count))
  }
}
