import Foundation

/// One run of one peer: which files, from where, to where.
struct Job {
  let peer: Peer
  let workload: Workload
  let sizes: Sizes
  /// The URL of the served folder, without a slash at the end.
  let base: String
  /// A folder of its own for this run; the files arrive in `output` below it.
  let folder: String
  /// The certificate to trust, in PEM.
  let certificate: String?
  /// How many files; as many as the workload has unless costs are measured.
  let count: Int

  var output: String { folder + "/output" }
  private var list: String { folder + "/list" }

  /// The program and its arguments. Writes the list of URLs that some programs read.
  func command() throws -> (program: String, arguments: [String]) {
    guard let name = peer.program else { return (try Self.ownProgram(), try clientArguments()) }
    guard let program = Tools.path(name) else { throw BenchmarkError.missing(name) }
    if count > 1 { try writeList() }
    switch peer {
    case .curl: return (program, curlArguments)
    case .wget: return (program, wgetArguments)
    default: return (program, ariaArguments)
    }
  }

  /// Not `/proc/self/exe` itself, which would be another program inside another program.
  private static func ownProgram() throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  }

  private func clientArguments() throws -> [String] {
    let order = ClientOrder(
      peer: peer, base: base, count: count, parallel: workload.parallel,
      tasks: min(count, workload.tasks ?? count), output: output, partials: folder + "/partials", pauses: sizes.pauses,
      idleSeconds: sizes.idleSeconds)
    return ["client", String(decoding: try JSONEncoder().encode(order), as: UTF8.self)]
  }

  private var curlArguments: [String] {
    let common = ["-q", "-sS", "--fail"] + (certificate.map { ["--cacert", $0] } ?? [])
    guard count > 1 else { return common + ["-o", output + "/0", base + "/0"] }
    return common + ["--parallel", "--parallel-max", "\(workload.parallel)", "--config", list]
  }

  private var wgetArguments: [String] {
    let common = ["--no-config", "-q", "--no-hsts"] + (certificate.map { ["--ca-certificate=\($0)"] } ?? [])
    guard count > 1 else { return common + ["-O", output + "/0", base + "/0"] }
    return common + ["-i", list, "-P", output]
  }

  private var ariaArguments: [String] {
    let connections = peer == .aria2c4 ? "4" : "1"
    let common =
      ["--no-conf", "-q", "-d", output, "-x", connections, "-s", connections]
      + (certificate.map { ["--ca-certificate=\($0)"] } ?? [])
    guard count > 1 else { return common + ["-o", "0", base + "/0"] }
    return common + ["-j", "\(workload.parallel)", "-i", list]
  }

  /// The URLs in the form that the peer reads.
  private func writeList() throws {
    var text = ""
    for number in 0..<count {
      let url = "\(base)/\(number)"
      text += peer == .curl ? "url = \"\(url)\"\noutput = \"\(output)/\(number)\"\n" : url + "\n"
    }
    try Data(text.utf8).write(to: URL(fileURLWithPath: list))
  }
}
