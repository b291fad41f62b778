import Foundation

/// Bars for the wall time of every workload with peers, as SVG.
struct Chart {
  private static let width = 760.0
  private static let labelWidth = 220.0
  private static let valueWidth = 70.0
  private static let rowHeight = 20.0
  private static let titleHeight = 34.0
  private static let colours = (own: "#2f6fdf", other: "#9aa5b1")

  let report: Report

  var svg: String {
    var body: [String] = []
    var top = 8.0
    for workload in report.workloads where workload.peers.count > 1 {
      body += group(workload, top: top)
      top += Self.titleHeight + Self.rowHeight * Double(workload.peers.count)
    }
    let size = #"width="\#(Unit.number(Self.width))" height="\#(Unit.number(top + 8))""#
    return """
      <svg xmlns="http://www.w3.org/2000/svg" \(size) font-family="sans-serif" font-size="12">
      <rect width="100%" height="100%" fill="white"/>
      \(body.joined(separator: "\n"))
      </svg>

      """
  }

  private func group(_ workload: WorkloadReport, top: Double) -> [String] {
    let longest = workload.peers.compactMap { $0.summary?.wallSeconds }.max() ?? 1
    let title = "(\(workload.workload.letter)) \(workload.workload.title(report.sizes)): wall time, seconds"
    var lines = [text(title, x: 8, y: top + 22, weight: "bold")]
    var y = top + Self.titleHeight
    for peer in workload.peers {
      guard let seconds = peer.summary?.wallSeconds else { continue }
      let room = Self.width - Self.labelWidth - Self.valueWidth - 16
      let length = max(1, room * seconds / max(longest, 1e-9))
      let colour = peer.peer.isOurs ? Self.colours.own : Self.colours.other
      lines.append(text(peer.peer.title, x: 8, y: y + 13))
      lines.append(
        #"<rect x="\#(Unit.number(Self.labelWidth + 24))" y="\#(Unit.number(y + 2))" width="\#(Unit.fixed(length, 1))" "#
          + #"height="14" fill="\#(colour)"/>"#)
      lines.append(text(Unit.seconds(seconds), x: Self.labelWidth + 30 + length, y: y + 13))
      y += Self.rowHeight
    }
    return lines
  }

  private func text(_ text: String, x: Double, y: Double, weight: String = "normal") -> String {
    let safe = text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    return #"<text x="\#(Unit.fixed(x, 1))" y="\#(Unit.fixed(y, 1))" font-weight="\#(weight)">\#(safe)</text>"#
  }
}
