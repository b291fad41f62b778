import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct BenchmarkTests {
  private struct Report: Decodable {
    struct Workload: Decodable {
      var workload: String
      var peers: [Peer]
    }

    struct Peer: Decodable {
      var peer: String
      var samples: [Sample]
      var summary: Summary
    }

    struct Sample: Decodable {
      var wallSeconds: Double
      var peakBytes: Int64
      var values: [String: Double]
    }

    struct Summary: Decodable {
      var wallRatio: Double
    }

    var workloads: [Workload]
  }

  private static let catalogue = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../Sources/ResumableDownloads/ResumableDownloads.docc").standardizedFileURL

  /// Runs the benchmark in a folder to a successful end.
  private func run(_ folder: TemporaryFolder, _ arguments: String...) async throws -> ChildProcess.Result {
    let result = try await ChildProcess.run(
      try Products.path("download-bench"), arguments, folder: folder.path, timeoutSeconds: 120)
    #expect(result.isSuccess, "\(result.errorText)")
    return result
  }

  @Test(
    "A quick run measures every workload, and writes the table, the JSON file, the page and the chart",
    .enabled(if: Products.isInstalled("nginx"), "nginx is not installed"))
  func quickRun() async throws {
    let folder = try TemporaryFolder("benchmark")
    try folder.makeFolder("docs")
    let result = try await run(folder, "--quick", "--json", "result.json", "--write-docs", "docs")
    #expect(result.text.contains("wall ratio") && result.text.contains("ResumableDownloads"))

    let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: folder.url("result.json")))
    let names = ["single", "tls", "medium", "small", "sparse", "pauses", "slow", "queued", "idle"]
    #expect(report.workloads.map(\.workload) == names)
    for workload in report.workloads {
      for peer in workload.peers {
        #expect(peer.samples.count == 1 && peer.samples.allSatisfy { $0.wallSeconds > 0 && $0.peakBytes > 0 })
      }
      #expect(workload.peers.first?.summary.wallRatio == 1)
    }
    let peers = Set(report.workloads[0].peers.map(\.peer))
    #expect(peers.isSuperset(of: ["library", "curl", "foundation", "floor"]))
    #expect(report.workloads[4].peers[0].samples[0].values["readsOfPartial"] == 0)
    #expect(report.workloads[5].peers[0].samples[0].values["bytesAgain"] == 0)

    let page = try String(contentsOf: folder.url("docs/Benchmarks.md"), encoding: .utf8)
    #expect(page.contains("| ResumableDownloads |") && page.contains("(benchmarks.svg)"))
    let chart = try String(contentsOf: folder.url("docs/Resources/benchmarks.svg"), encoding: .utf8)
    #expect(chart.hasPrefix("<svg") && chart.contains("<rect"))
  }

  @Test("The page and the chart in the documentation are what the benchmark makes of the results beside them")
  func documentation() async throws {
    let folder = try TemporaryFolder("benchmark")
    try folder.makeFolder("docs")
    let results = Self.catalogue.appendingPathComponent("Resources/benchmarks.json").path
    _ = try await run(folder, "render", results, "--write-docs", "docs")
    for name in ["Benchmarks.md", "Resources/benchmarks.svg", "Resources/benchmarks.json"] {
      let committed = try String(contentsOf: Self.catalogue.appendingPathComponent(name), encoding: .utf8)
      #expect(try String(contentsOf: folder.url("docs/\(name)"), encoding: .utf8) == committed, "\(name)")
    }
  }

  @Test("Wrong usage is told", arguments: [["--rounds"], ["nonsense"], ["--scale", "-1"], ["render"]])
  func usage(arguments: [String]) async throws {
    let result = try await ChildProcess.run(try Products.path("download-bench"), arguments)
    #expect(result.exit == .exited(2))
    #expect(result.errorText.contains("usage: download-bench"))
  }
}
