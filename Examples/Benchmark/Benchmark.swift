import Foundation
import TestSupport

/// Runs the workloads and gathers what they cost.
struct Benchmark {
  /// A program that takes longer is ended and left out.
  private static let limitSeconds = 300.0

  let options: Arguments.Options
  let workspace: Workspace

  private var sizes: Sizes { Sizes(scale: options.scale) }
  private var served: ServedFiles { ServedFiles(root: workspace.path + "/served") }

  func run() async throws -> Report {
    Command.message("making the files to serve in \(workspace.path)")
    try served.make(for: options.workloads, sizes)
    let machine = await Machine.current(folder: workspace.path)
    if machine.fileSystem == Machine.memory { try WarmMemory.prepare(sizes.memoryBytes, in: workspace.path) }
    var report = Report(
      machine: machine, scale: options.scale, rounds: options.rounds, workloads: [], costs: [],
      notes: [try leastPeak()])
    for workload in options.workloads { report.workloads.append(try await run(workload, &report)) }
    report.workloads.removeAll { $0.peers.isEmpty }
    report.verdicts = Targets.verdicts(report)
    return report
  }

  /// What a program costs that does nothing: it begins as a copy of this process.
  private func leastPeak() throws -> String {
    guard let program = Tools.path("true") else { throw BenchmarkError.missing("true") }
    let run = try ProcessRun.measure(
      program, [], folder: try workspace.makeRunFolder(), limitSeconds: Self.limitSeconds)
    return "a peak of \(Unit.mebibytes(Double(run.peakBytes))) MiB is the least that can be told, that of `true`"
  }

  private func run(_ workload: Workload, _ report: inout Report) async throws -> WorkloadReport {
    let isThrottled = workload == .pauses
    let nginx = try await Nginx.start(
      root: served.root,
      options: ServerOptions(bytesPerSecond: isThrottled ? Sizes.throttledSpeed : nil, usesTLS: workload == .tls))
    var scene = Scene(workload: workload, nginx: nginx)
    if workload == .sparse { scene.partial = try await sparsePartial() }
    if let certificate = nginx.certificate { scene.isTrusted = await Trust.isPossible(certificate: certificate) }
    var result = WorkloadReport(
      workload: workload, peers: present(scene, &report.notes).map { PeerReport(peer: $0, samples: []) })
    let subject = result.subject?.peer
    for round in 0...options.rounds { measure(round, scene, &result, &report) }
    try await nginx.stop()
    // Without the one that the ratios are about there is nothing to tell.
    if result.subject?.peer != subject { result.peers = [] }
    result.summarize()
    return result
  }

  /// One round: every program once. Round 0 warms up and does not count.
  private func measure(_ round: Int, _ scene: Scene, _ result: inout WorkloadReport, _ report: inout Report) {
    Command.message("(\(scene.workload.letter)) \(round == 0 ? "warm-up" : "round \(round) of \(options.rounds)")")
    let peers = result.peers.map(\.peer)
    // Another one begins each round, since what has just run leaves its traces in the caches.
    let first = peers.isEmpty ? 0 : round % peers.count
    for peer in peers[first...] + peers[..<first] {
      do {
        let sample = try run(peer, scene)
        guard round > 0, let index = result.peers.firstIndex(where: { $0.peer == peer }) else { continue }
        result.peers[index].samples.append(sample)
      } catch {
        report.notes.append("(\(scene.workload.letter)) \(peer.title) failed: \(error)")
        report.hasFailed = report.hasFailed || peer.isOurs
        result.peers.removeAll { $0.peer == peer }
      }
    }
  }

  private func run(_ peer: Peer, _ scene: Scene) throws -> Sample {
    let folder = try workspace.makeRunFolder()
    let source = scene.workload == .sparse && peer == .library ? "fresh" : scene.workload.servedFolder
    let job = Job(
      peer: peer, workload: scene.workload, sizes: sizes, base: scene.nginx.url("/\(source)").absoluteString,
      folder: folder, certificate: scene.nginx.certificate, count: sizes.count(scene.workload))
    let partial = peer == .resumed ? try scene.partial?.place(in: folder + "/partials") : nil
    var command = try job.command()
    if let certificate = job.certificate, scene.isTrusted {
      command = try Trust.wrapped(command, certificate: certificate)
    }
    let reads = try partial.map { try ReadWatch($0) }
    let run = try ProcessRun.measure(
      command.program, command.arguments, folder: folder, limitSeconds: Self.limitSeconds)
    var values = peer.program == nil ? try run.clientValues() : [:]
    // Before the comparison reads the same file.
    if let reads { values["readsOfPartial"] = Double(reads.count()) }
    for number in 0..<job.count {
      try Comparison.check("\(job.output)/\(number)", isCopyOf: served.path(source, number))
    }
    if let reads, reads.count() == 0 { throw BenchmarkError.client("reads of the partial file are not counted") }
    return Sample(run, values: values)
  }

  /// The peers that can take part.
  private func present(_ scene: Scene, _ notes: inout [String]) -> [Peer] {
    scene.workload.peers.filter { peer in
      if let program = peer.program, Tools.path(program) == nil {
        notes.append("(\(scene.workload.letter)) \(peer.title) was left out: \(program) is not installed")
        return false
      }
      if scene.nginx.certificate != nil, !scene.isTrusted, peer.program == nil {
        notes.append("(\(scene.workload.letter)) \(peer.title) was left out: it does not trust the server here")
        return false
      }
      return true
    }
  }

  private func sparsePartial() async throws -> SparsePartial {
    // Slow enough that the first journal is there long before the end.
    let slow = try await Nginx.start(root: served.root, options: ServerOptions(bytesPerSecond: 2 << 20))
    let partial = try await SparsePartial(url: slow.url("/sparse/0"), folder: workspace.path, bytes: sizes.sparseBytes)
    try await slow.stop()
    return partial
  }

  /// Adds what a unit of work costs to a report.
  func countCosts(_ report: inout Report) async throws {
    try FileManager.default.createDirectory(atPath: served.root, withIntermediateDirectories: true)
    let nginx = try await Nginx.start(root: served.root)
    let counter = CostCounter(workspace: workspace, served: served, nginx: nginx)
    report.notes += counter.notes
    report.costs = []
    for workload in CostCounter.workloads where report[workload] != nil {
      do { report.costs.append(try counter.count(workload)) } catch {
        report.notes.append("(\(workload.letter)) the costs of a unit are not known: \(error)")
      }
    }
    try await nginx.stop()
  }
}

/// What the runs of one workload have in common.
private struct Scene {
  let workload: Workload
  let nginx: Nginx
  var partial: SparsePartial?
  var isTrusted = false
}
