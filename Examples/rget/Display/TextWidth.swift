/// How many columns of a terminal a text takes.
enum TextWidth {
  /// Blocks that East Asian terminals draw two columns wide (Unicode Standard Annex 11, W and F), without the gaps.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
    0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
    0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD,
  ]

  static func columns(_ text: String) -> Int { text.reduce(0) { $0 + columns($1) } }

  static func columns(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    // The second scalar of a pictograph may ask for the wide form.
    let isPictograph = character.unicodeScalars.contains { $0.properties.isEmojiPresentation || $0.value == 0xFE0F }
    if isPictograph { return 2 }
    if wide.contains(where: { $0.contains(first.value) }) { return 2 }
    switch first.properties.generalCategory {
    case .control, .format, .nonspacingMark, .enclosingMark: return 0
    default: return 1
    }
  }

  /// The text in at most `width` columns, its middle left out if it must be: beginnings and endings tell names apart.
  static func shortened(_ text: String, to width: Int) -> String {
    guard columns(text) > width else { return text }
    guard width > 1 else { return String(repeating: "…", count: max(0, width)) }
    let ending = fitting(text.reversed(), width: (width - 1) / 2)
    let beginning = fitting(Array(text), width: width - 1 - columns(String(ending)))
    return String(beginning) + "…" + String(ending.reversed())
  }

  /// The text with blanks behind it up to `width` columns.
  static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - columns(text)))
  }

  /// The text with blanks in front of it up to `width` columns.
  static func leftPadded(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - columns(text))) + text
  }

  private static func fitting(_ characters: [Character], width: Int) -> [Character] {
    var room = width
    return Array(
      characters.prefix { character in
        room -= columns(character)
        return room >= 0
      })
  }
}
