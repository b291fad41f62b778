/// A target and whether a run has reached it.
struct Verdict: Codable, Sendable {
  var workload: Workload
  var quantity: String
  var limit: Double
  var found: Double

  var isMet: Bool { found <= limit }
}

/// What the library has to reach. Ratios are medians over the rounds, all others are the worst of the medians.
enum Targets {
  /// The targets that the report has figures for.
  static func verdicts(_ report: Report) -> [Verdict] {
    report.workloads.flatMap { own($0) + threads($0) }
  }

  private static func own(_ report: WorkloadReport) -> [Verdict] {
    switch report.workload {
    case .single:
      wall(report, [(.curl, 0.75), (.wget, 0.75), (.foundation, 0.25), (.floor, 1.25)])
        + cpu(report, [(.curl, 0.80), (.floor, 1.15)]) + memory(report, mebibytes: 40)
    case .tls: wall(report, [(.curl, 0.90)])
    case .medium:
      better(report, "wall", \.wallSeconds) + better(report, "CPU", \.cpuSeconds) + memory(report, mebibytes: 80)
    case .small: better(report, "wall", \.wallSeconds)
    case .sparse:
      wall(report, [(.library, 1.3)]) + value(report, "readsOfPartial", "reads of the partial file", limit: 0)
    case .pauses:
      value(report, "pause99Milliseconds", "99th percentile of a pause, ms", limit: 20)
        + value(report, "withoutData", "pauses without resume data", limit: 0)
        + value(report, "bytesAgain", "bytes fetched twice", limit: 0)
    case .slow: wall(report, [(.library, 1.1)]) + extraMemory(report, mebibytes: 8)
    case .queued: memory(report, mebibytes: 200)
    case .idle:
      value(report, "wakeups", "wake-ups while idle", limit: 0)
        + value(report, "cpuMicroseconds", "CPU time while idle, µs", limit: 0)
    }
  }

  private static func wall(_ report: WorkloadReport, _ limits: [(Peer, Double)]) -> [Verdict] {
    ratios(report, "wall", \.wallRatio, limits)
  }

  private static func cpu(_ report: WorkloadReport, _ limits: [(Peer, Double)]) -> [Verdict] {
    ratios(report, "CPU", \.cpuRatio, limits)
  }

  private static func ratios(
    _ report: WorkloadReport, _ name: String, _ ratio: (Summary) -> Double, _ limits: [(Peer, Double)]
  ) -> [Verdict] {
    limits.compactMap { peer, limit in
      report[peer]?.summary.map {
        Verdict(workload: report.workload, quantity: "\(name), of \(peer.title)", limit: limit, found: ratio($0))
      }
    }
  }

  /// Against the better of curl and aria2c in each round.
  private static func better(_ report: WorkloadReport, _ name: String, _ cost: (Sample) -> Double) -> [Verdict] {
    guard let own = report.subject?.samples, let curl = report[.curl]?.samples, let aria = report[.aria2c]?.samples
    else { return [] }
    let ratios = zip(own, zip(curl, aria)).map { cost($0) / max(min(cost($1.0), cost($1.1)), 1e-9) }
    return ratios.median.map {
      [Verdict(workload: report.workload, quantity: "\(name), of the better of curl and aria2c", limit: 1, found: $0)]
    } ?? []
  }

  private static func memory(_ report: WorkloadReport, mebibytes: Double) -> [Verdict] {
    guard let peak = report.subject?.summary?.peakBytes else { return [] }
    return [
      Verdict(
        workload: report.workload, quantity: "peak memory, MiB", limit: mebibytes, found: peak / Double(1 << 20))
    ]
  }

  private static func extraMemory(_ report: WorkloadReport, mebibytes: Double) -> [Verdict] {
    guard let slow = report.subject?.summary?.peakBytes, let quick = report[.library]?.summary?.peakBytes else {
      return []
    }
    return [
      Verdict(
        workload: report.workload, quantity: "peak memory more than with a quick delegate, MiB", limit: mebibytes,
        found: (slow - quick) / Double(1 << 20))
    ]
  }

  private static func value(_ report: WorkloadReport, _ name: String, _ quantity: String, limit: Double) -> [Verdict] {
    guard let found = report.subject?.summary?.values[name] else { return [] }
    return [Verdict(workload: report.workload, quantity: quantity, limit: limit, found: found)]
  }

  private static func threads(_ report: WorkloadReport) -> [Verdict] {
    guard let found = report.subject?.summary?.threads else { return [] }
    return [Verdict(workload: report.workload, quantity: "threads", limit: 16, found: found)]
  }
}
