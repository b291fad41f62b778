import Foundation

/// From arguments to an exit status.
enum Command {
  static func run(_ arguments: [String]) async -> Int32 {
    do {
      switch try Arguments.parse(arguments) {
      case .help: print(Arguments.usage)
      case .client(let order): try await ClientOrder.run(order)
      case .render(let path, let catalogue): try finish(try Report.read(path), catalogue)
      case .costs(let path, let catalogue): try await addCosts(path, catalogue)
      case .measure(let options): try await measure(options)
      }
      return 0
    } catch let error as UsageError {
      message("\(error.reason)\n\n\(Arguments.usage)")
      return 2
    } catch {
      message("\(error)")
      return 1
    }
  }

  private static func measure(_ options: Arguments.Options) async throws {
    let workspace = try Workspace(options)
    let benchmark = Benchmark(options: options, workspace: workspace)
    var report = try await benchmark.run()
    if options.countsCosts { try await benchmark.countCosts(&report) }
    try report.encoded().write(to: URL(fileURLWithPath: options.json))
    try finish(report, options.catalogue)
    message("the results are in \(options.json)")
    if report.hasFailed { throw BenchmarkError.client("a download of this library failed: see the notes") }
  }

  private static func addCosts(_ path: String, _ catalogue: String?) async throws {
    var report = try Report.read(path)
    let options = Arguments.Options()
    try await Benchmark(options: options, workspace: try Workspace(options)).countCosts(&report)
    try report.encoded().write(to: URL(fileURLWithPath: path))
    try finish(report, catalogue)
  }

  /// Prints the tables, and writes the page where it is asked for.
  private static func finish(_ report: Report, _ catalogue: String?) throws {
    for workload in report.workloads {
      print("\n(\(workload.workload.letter)) \(workload.workload.title(report.sizes))\n")
      print(Table(workload).text)
      if let values = Table(valuesOf: workload) { print("\n\(values.text)") }
    }
    print("\n\(Table(report.verdicts).text)")
    if !report.costs.isEmpty { print("\n\(Table(report.costs).text)") }
    for note in report.notes { print("\n\(note)") }
    if let catalogue { try Document(report: report).write(to: catalogue) }
  }

  /// A line for people.
  static func message(_ text: String) {
    FileHandle.standardError.write(Data("download-bench: \(text)\n".utf8))
  }
}
