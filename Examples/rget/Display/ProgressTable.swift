/// The lines about running downloads, from numbers alone.
struct ProgressTable: Equatable {
  /// One running download.
  struct Row: Equatable, Sendable {
    var name: String
    var received: Int64 = 0
    var total: Int64?
    var speed: Double?
    /// Stands in the place of speed and time left, for instance while nothing arrives.
    var note: String?

    /// The same without a bar, for where nothing can be redrawn.
    var plainLine: String {
      let cells = ProgressTable.cells(self).map { String($0.drop { $0 == " " }) }
      return "\(name): " + cells.filter { !$0.isEmpty }.joined(separator: ", ")
    }
  }

  /// The last line, if there is more than one download.
  struct Summary: Equatable, Sendable {
    var finished: Int
    var failed: Int
    var count: Int
    var received: Int64
    var total: Int64?
    var speed: Double?
  }

  var rows: [Row]
  var summary: Summary?
  /// How many run beside those in `rows`, for which there is no room.
  var hidden = 0

  private static let minimumName = 8
  private static let gap = 2
  private static let bars = 7...42

  /// The lines, each at most `width` columns wide. What matters least is left out first: the bar, the time left, the
  /// speed, the sizes.
  func lines(width: Int, isColoured: Bool = false) -> [String] {
    let cells = rows.map(Self.cells)
    var columns = Array((0..<4).map { column in cells.map { TextWidth.columns($0[column]) }.max() ?? 0 })
    func taken() -> Int { columns.filter { $0 > 0 }.map { $0 + Self.gap }.reduce(0, +) }
    while columns.count > 0, Self.minimumName + taken() > width { columns.removeLast() }
    let longest = rows.map { TextWidth.columns($0.name) }.max() ?? 0
    var nameWidth = min(longest, max(Self.minimumName, width / 3), max(1, width - taken()))
    var bar = min(Self.bars.upperBound, width - taken() - nameWidth - Self.gap)
    if bar < Self.bars.lowerBound {
      bar = 0
      nameWidth = min(longest, max(1, width - taken()))
    }
    let lines = zip(rows, cells).map { row, cells in
      var parts = [TextWidth.padded(TextWidth.shortened(row.name, to: nameWidth), to: nameWidth)]
      if bar > 0 { parts.append(Self.bar(row, width: bar, isColoured: isColoured)) }
      parts += zip(cells, columns).filter { $1 > 0 }.map { TextWidth.leftPadded($0, to: $1) }
      return Self.trimmed(parts.joined(separator: "  "))
    }
    return lines + (summary.map { [Self.text($0, hidden: hidden, width: width)] } ?? [])
  }

  /// Percentage, sizes, speed and time left.
  fileprivate static func cells(_ row: Row) -> [String] {
    let sizes = row.total.map { "\(Amount.bytes(row.received)) of \(Amount.bytes($0))" } ?? Amount.bytes(row.received)
    let percent = Amount.percent(row.received, of: row.total).map { TextWidth.leftPadded("\($0)%", to: 4) } ?? ""
    if let note = row.note { return [percent, sizes, note, ""] }
    let left = Amount.secondsLeft(row.received, of: row.total, speed: row.speed).map { "\(Amount.time($0)) left" }
    return [percent, sizes, row.speed.map { "\(Amount.bytes(Int64($0)))/s" } ?? "", left ?? ""]
  }

  private static func bar(_ row: Row, width: Int, isColoured: Bool) -> String {
    let cells = width - 2
    let share = row.total.map { $0 > 0 ? min(1, max(0, Double(row.received) / Double($0))) : 1 } ?? 0
    let filled = Int(share * Double(cells))
    let done = String(repeating: "#", count: filled)
    let open = String(repeating: row.total == nil ? " " : "-", count: cells - filled)
    return isColoured && filled > 0 ? "[\u{1B}[32m\(done)\u{1B}[0m\(open)]" : "[\(done)\(open)]"
  }

  private static func text(_ summary: Summary, hidden: Int, width: Int) -> String {
    var parts = ["\(summary.finished) of \(summary.count) done"]
    if summary.failed > 0 { parts.append("\(summary.failed) failed") }
    if hidden > 0 { parts.append("\(hidden) more running") }
    parts.append(Amount.bytes(summary.received))
    if let speed = summary.speed { parts.append("\(Amount.bytes(Int64(speed)))/s") }
    if let left = Amount.secondsLeft(summary.received, of: summary.total, speed: summary.speed) {
      parts.append("\(Amount.time(left)) left")
    }
    while parts.count > 1, parts.joined(separator: ", ").count > width { parts.removeLast() }
    return TextWidth.shortened(parts.joined(separator: ", "), to: width)
  }

  private static func trimmed(_ text: String) -> String {
    String(text.reversed().drop { $0 == " " }.reversed())
  }
}
