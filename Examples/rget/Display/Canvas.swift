/// A block of lines at the end of what a terminal shows, redrawn in place.
///
/// Every frame is one text that leaves the cursor at the start of the line below the block, so that whatever ends the
/// process leaves the terminal in order. The cursor is never hidden and no mode is changed.
struct Canvas: Sendable {
  private var drawn: [String] = []

  var isEmpty: Bool { drawn.isEmpty }

  /// Whether a frame with these lines would change nothing.
  func shows(_ lines: [String]) -> Bool { lines == drawn }

  /// The text that replaces the block by other lines, below `messages` that stay.
  mutating func frame(_ lines: [String], messages: [String] = [], width: Int) -> String {
    var text = ""
    let height = drawn.map { Self.height(of: $0, width: width) }.reduce(0, +)
    if height > 0 { text += "\u{1B}[\(height)A\r" }
    for message in messages { text += message + "\u{1B}[K\n" }
    for line in lines { text += line + "\u{1B}[K\n" }
    // Also what the user has typed meanwhile.
    if height > 0 { text += "\u{1B}[J" }
    drawn = lines
    return text
  }

  /// How many lines of the terminal a drawn line takes after the window has become `width` columns wide: terminals
  /// wrap what no longer fits.
  private static func height(of line: String, width: Int) -> Int {
    let columns = TextWidth.columns(plain(line))
    return max(1, (columns + max(1, width) - 1) / max(1, width))
  }

  /// The line without colours.
  private static func plain(_ line: String) -> String {
    var (result, isEscape) = ("", false)
    for character in line {
      if character == "\u{1B}" { isEscape = true }
      if !isEscape { result.append(character) }
      if isEscape, character.isLetter { isEscape = false }
    }
    return result
  }
}
