import Foundation

/// Everything that one run of the benchmark found; the JSON file.
struct Report: Codable, Sendable {
  var machine: Machine
  var scale: Double
  var rounds: Int
  var workloads: [WorkloadReport]
  var costs: [CostReport]
  var notes: [String]
  /// This library failed somewhere; the notes say how.
  var hasFailed = false
  /// Worked out from the rest when the report is written.
  var verdicts: [Verdict] = []

  var sizes: Sizes { Sizes(scale: scale) }

  subscript(workload: Workload) -> WorkloadReport? { workloads.first { $0.workload == workload } }

  static func read(_ path: String) throws -> Report {
    do {
      return try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw BenchmarkError.malformedReport("\(error)")
    }
  }

  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return try encoder.encode(self) + Data("\n".utf8)
  }
}

/// The runs of one workload.
struct WorkloadReport: Codable, Sendable {
  var workload: Workload
  var peers: [PeerReport]

  subscript(peer: Peer) -> PeerReport? { peers.first { $0.peer == peer } }

  /// The one that the ratios are about.
  var subject: PeerReport? { peers.first }

  /// Works out the medians, and the ratios of the subject to each peer.
  mutating func summarize() {
    guard let subject else { return }
    for index in peers.indices {
      peers[index].summary = Summary(of: peers[index], subject: subject)
    }
  }
}

/// The runs of one peer in one workload, in the order of the rounds.
struct PeerReport: Codable, Sendable {
  var peer: Peer
  var samples: [Sample]
  /// Nil until all rounds are done.
  var summary: Summary?
}

/// Medians over the rounds.
struct Summary: Codable, Sendable {
  var wallSeconds: Double
  var userSeconds: Double
  var systemSeconds: Double
  var peakBytes: Double
  var threads: Double
  var values: [String: Double]
  /// The median of what the subject needed in a round, divided by what this peer needed in the same round.
  var wallRatio: Double
  var cpuRatio: Double

  /// Nil without samples.
  init?(of report: PeerReport, subject: PeerReport) {
    let samples = report.samples
    guard let wall = samples.map(\.wallSeconds).median, let user = samples.map(\.userSeconds).median,
      let system = samples.map(\.systemSeconds).median, let peak = samples.map({ Double($0.peakBytes) }).median,
      let threads = samples.map({ Double($0.threads) }).median
    else { return nil }
    (wallSeconds, userSeconds, systemSeconds, peakBytes, self.threads) = (wall, user, system, peak, threads)
    values = [:]
    for name in samples[0].values.keys { values[name] = samples.compactMap { $0.values[name] }.median }
    let pairs = Array(zip(subject.samples, samples))
    wallRatio = pairs.map { $0.wallSeconds / max($1.wallSeconds, 1e-9) }.median ?? 0
    cpuRatio = pairs.map { $0.cpuSeconds / max($1.cpuSeconds, 1e-9) }.median ?? 0
  }
}
