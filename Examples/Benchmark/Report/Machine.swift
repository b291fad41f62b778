import Foundation

/// Where and with what the figures were found.
struct Machine: Codable, Sendable {
  /// The file system that is kept in memory.
  static let memory = "tmpfs"

  var processor: String
  var processors: Int
  var memoryBytes: Int64
  var kernel: String
  var system: String
  /// The file system of the files that are served and written, `memory` where there is one.
  var fileSystem: String
  /// `release` or `debug`, and how the Swift library is linked.
  var build: String
  /// The first line of what each program says about itself.
  var programs: [String]

  static func current(folder: String) async -> Machine {
    var programs: [String] = []
    for name in ["nginx", "curl", "wget", "aria2c"] {
      if let version = await Tools.version(name) { programs.append(version) }
    }
    return Machine(
      processor: field("model name", of: "/proc/cpuinfo") ?? "unknown",
      processors: ProcessInfo.processInfo.activeProcessorCount,
      memoryBytes: Int64(clamping: ProcessInfo.processInfo.physicalMemory), kernel: kernel,
      system: ProcessInfo.processInfo.operatingSystemVersionString, fileSystem: fileSystem(of: folder), build: build,
      programs: programs)
  }

  private static var build: String {
    #if DEBUG
      let kind = "debug"
    #else
      let kind = "release"
    #endif
    let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
    return "\(kind) build, Swift library linked \(maps.contains("libswiftCore.so") ? "dynamically" : "statically")"
  }

  private static var kernel: String {
    (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8))?
      .trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown"
  }

  private static func field(_ name: String, of path: String) -> String? {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(separator: ":", maxSplits: 1).last.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The type of the mount with the longest path that holds the folder (proc(5), `/proc/mounts`).
  private static func fileSystem(of folder: String) -> String {
    let text = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? ""
    let mounts = text.split(separator: "\n").map { $0.split(separator: " ") }.filter { $0.count > 2 }
    let holding = mounts.filter { ($0[1] == "/" ? folder : folder + "/").hasPrefix($0[1] == "/" ? "/" : $0[1] + "/") }
    return holding.max { $0[1].count < $1[1].count }.map { String($0[2]) } ?? "unknown"
  }
}
