import Foundation

/// The page `Benchmarks.md` of the documentation and what lies beside it, all made from a report.
struct Document {
  static let page = "Benchmarks.md"
  static let chart = "benchmarks.svg"
  static let data = "benchmarks.json"

  let report: Report

  /// Writes the page into a DocC catalogue, the chart and the report into its `Resources`.
  func write(to catalogue: String) throws {
    let folder = URL(fileURLWithPath: catalogue, isDirectory: true)
    let resources = folder.appendingPathComponent("Resources")
    try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
    try Data(markdown.utf8).write(to: folder.appendingPathComponent(Self.page))
    try Data(Chart(report: report).svg.utf8).write(to: resources.appendingPathComponent(Self.chart))
    try report.encoded().write(to: resources.appendingPathComponent(Self.data))
  }

  var markdown: String {
    """
    # Benchmarks

    How fast, how lean, and compared with what.

    ## Overview

    This page, the chart and every figure in them are written by `download-bench` from the results of one run, which lie
    in `Resources/\(Self.data)`.

    ![Wall time of each workload and program](\(Self.chart))

    ## How it is measured

    nginx serves on the loopback interface. Every program runs as a whole process, from its start to its end, in turn:
    a round runs each of them once, beginning with another one each time; after one round to warm up, \(report.rounds)
    rounds count. The memory that they write to was in use before, so that none of them waits for the host of a virtual
    machine. Every file is compared byte for byte with what is served. Times are medians over the rounds. A ratio is what
    the first row of a table needed, divided by what the row needed in the same round; the median of the rounds is shown.
    Ratios can be compared between machines, times cannot. Peak memory is the largest resident size. Journals and
    checkpoints are on.

    In (c) and (d) the clients with URLSession's interface have twice as many tasks as may run, and begin another when one
    has ended; in (h) they create all of them first.

    \(tables)

    ## Targets

    \(Table(report.verdicts).markdown)
    \(costs)
    ## The machine

    \(machine)

    ## Repeat it

    ```sh
    \(Self.command)
    ```

    `swift run -c release download-bench --help` lists the options. A program that is not installed is left out.

    """
  }

  static let command = """
    swift run -c release --static-swift-stdlib download-bench --write-docs \\
      Sources/ResumableDownloads/ResumableDownloads.docc
    """

  private var tables: String {
    report.workloads.map { workload in
      let parts = [
        "## (\(workload.workload.letter)) \(workload.workload.rawValue): \(workload.workload.title(report.sizes))",
        Table(workload).markdown, Table(valuesOf: workload)?.markdown,
      ]
      return parts.compactMap { $0 }.joined(separator: "\n\n")
    }.joined(separator: "\n\n")
  }

  private var costs: String {
    guard !report.costs.isEmpty else { return "" }
    return """

      ## What a unit of work costs

      The difference between a larger and a smaller run of the library, divided by the difference of their sizes, so that
      starting up does not count. System calls are counted by `strace -c -f`, allocations by `valgrind`. Both slow the
      program down, and what comes by the clock, like progress callbacks, then counts for more than it does at full speed.

      \(Table(report.costs).markdown)

      """
  }

  private var machine: String {
    let machine = report.machine
    let facts = [
      "\(machine.processors) × \(machine.processor), \(Unit.bytes(machine.memoryBytes)) of memory",
      "\(machine.system), Linux \(machine.kernel), files on \(machine.fileSystem)", machine.build,
    ]
    return (facts + machine.programs + report.notes).map { "- \($0)" }.joined(separator: "\n")
  }
}
