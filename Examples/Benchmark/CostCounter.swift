import Foundation
import TestSupport

/// What one unit of work costs the library, start and end of the process not counted.
struct CostReport: Codable, Sendable {
  var workload: Workload
  /// What is counted: `MiB` or `file`.
  var unit: String
  var systemCalls: Double?
  var allocations: Double?
  var operations: Double?
}

/// Counts under strace(1) and valgrind(1), where they are installed.
struct CostCounter {
  static let workloads: [Workload] = [.single, .medium, .small, .queued]
  private static let limitSeconds = 600.0
  private static let mebibytes: (small: Int, large: Int) = (64, 192)
  private static let files: (small: Int, large: Int) = (100, 500)

  let workspace: Workspace
  let served: ServedFiles
  let nginx: Nginx

  private struct Counts {
    var systemCalls: Double?
    var allocations: Double?
    var operations: Double?
  }

  /// Which tools are missing.
  var notes: [String] {
    ["strace", "valgrind"].filter { Tools.path($0) == nil }.map { "\($0) is not installed: its costs are not counted" }
  }

  func count(_ workload: Workload) throws -> CostReport {
    Command.message("(\(workload.letter)) what a unit costs")
    let isSingle = workload == .single
    let units = isSingle ? Self.mebibytes : Self.files
    let (less, more) = (try counts(workload, units.small), try counts(workload, units.large))
    let difference = { (part: (Counts) -> Double?) -> Double? in
      guard let first = part(less), let second = part(more) else { return nil }
      return (second - first) / Double(units.large - units.small)
    }
    return CostReport(
      workload: workload, unit: isSingle ? "MiB" : "file", systemCalls: difference(\.systemCalls),
      allocations: difference(\.allocations), operations: difference(\.operations))
  }

  private func counts(_ workload: Workload, _ units: Int) throws -> Counts {
    var counts = Counts()
    let isSingle = workload == .single
    // The same amount whatever the scale of the rest.
    let source = "cost-\(workload.servedFolder)" + (isSingle ? "-\(units)" : "")
    let bytes = isSingle ? Int64(units) << 20 : workload == .medium ? Sizes.mediumBytes : Sizes.smallBytes
    try served.make(source, count: isSingle ? 1 : Self.files.large, bytes: bytes)
    let files = isSingle ? 1 : units
    if let strace = Tools.path("strace") {
      let (text, values) = try run(workload, source, files, strace) { ["-c", "-f", "-o", $0] }
      counts.systemCalls = Self.systemCalls(in: text)
      counts.operations = values["operations"]
    }
    if let valgrind = Tools.path("valgrind") {
      let (text, _) = try run(workload, source, files, valgrind) { ["--log-file=\($0)"] }
      counts.allocations = Self.allocations(in: text)
    }
    return counts
  }

  /// Runs the client under a tool; returns what the tool wrote, and what the client counted.
  private func run(
    _ workload: Workload, _ source: String, _ files: Int, _ tool: String, options: (_ log: String) -> [String]
  ) throws -> (text: String, values: [String: Double]) {
    let folder = try workspace.makeRunFolder()
    let job = Job(
      peer: .library, workload: workload, sizes: Sizes(scale: 1),
      base: nginx.url("/\(source)").absoluteString, folder: folder,
      certificate: nil, count: files)
    let (program, arguments) = try job.command()
    let log = folder + "/tool"
    let run = try ProcessRun.measure(
      tool, options(log) + [program] + arguments, folder: folder, limitSeconds: Self.limitSeconds)
    return (try String(contentsOfFile: log, encoding: .utf8), try run.clientValues())
  }

  /// The number of calls in the last line of the summary: share, seconds, microseconds a call, calls.
  private static func systemCalls(in text: String) -> Double? {
    let line = text.split(separator: "\n").last { $0.hasSuffix(" total") }
    let words = line?.split(separator: " ") ?? []
    return words.count > 4 ? Double(words[3]) : nil
  }

  /// The number before `allocs`.
  private static func allocations(in text: String) -> Double? {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard let place = words.firstIndex(of: "allocs,"), place > 0 else { return nil }
    return Double(words[place - 1].replacingOccurrences(of: ",", with: ""))
  }
}
