/// Rows of text with columns of the same width; the first is flush left, the others flush right.
struct Table {
  var header: [String]
  var rows: [[String]] = []

  /// For a terminal.
  var text: String {
    lines.map { $0.joined(separator: "  ") }.joined(separator: "\n")
  }

  /// For Markdown.
  var markdown: String {
    let rule = header.indices.map { $0 == 0 ? "---" : "---:" }
    return ([header, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }

  private var lines: [[String]] {
    let all = [header] + rows
    let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { row in
      row.indices.map { column in
        let room = String(repeating: " ", count: widths[column] - row[column].count)
        return column == 0 ? row[column] + room : room + row[column]
      }
    }
  }
}

extension Table {
  /// The medians of one workload.
  init(_ report: WorkloadReport) {
    header = ["", "wall s", "user s", "system s", "peak MiB", "threads", "wall ratio", "CPU ratio"]
    for peer in report.peers {
      guard let summary = peer.summary else { continue }
      rows.append([
        peer.peer.title, Unit.seconds(summary.wallSeconds), Unit.seconds(summary.userSeconds),
        Unit.seconds(summary.systemSeconds), Unit.mebibytes(summary.peakBytes), Unit.number(summary.threads),
        Unit.ratio(summary.wallRatio), Unit.ratio(summary.cpuRatio),
      ])
    }
  }

  /// What the first peer of a workload counted itself; nil when there is nothing.
  init?(valuesOf report: WorkloadReport) {
    guard let values = report.subject?.summary?.values, !values.isEmpty else { return nil }
    header = ["counted by the client", "median"]
    rows = values.sorted { $0.key < $1.key }.map { [$0.key, Unit.number($0.value)] }
  }

  /// Targets and what was found.
  init(_ verdicts: [Verdict]) {
    header = ["target", "at most", "found", ""]
    rows = verdicts.map {
      [
        "(\($0.workload.letter)) \($0.quantity)", Unit.number($0.limit), Unit.ratio($0.found),
        $0.isMet ? "met" : "missed",
      ]
    }
  }

  /// What a unit of work costs.
  init(_ costs: [CostReport]) {
    header = ["", "system calls", "allocations", "operations on the delegate queue"]
    rows = costs.map {
      [
        "(\($0.workload.letter)) per \($0.unit)", $0.systemCalls.map(Unit.number) ?? "not measured",
        $0.allocations.map(Unit.number) ?? "not measured", $0.operations.map(Unit.number) ?? "not measured",
      ]
    }
  }
}
