import Foundation
import TestSupport

/// The folder for everything that a run serves and writes; it goes when the process exits.
struct Workspace {
  /// In memory, so that the disk does not decide.
  private static let memory = "/dev/shm"

  private let folder: TemporaryFolder

  var path: String { folder.path }

  init(_ options: Arguments.Options) throws {
    let sizes = Sizes(scale: options.scale)
    // What is served and one copy of it, what is used for a moment before, and some room.
    let files = Double(sizes.largeBytes) + Double(sizes.mediumCount) * Double(Sizes.mediumBytes)
    let needed =
      files * 2 + Double(sizes.memoryBytes) + Double(max(sizes.smallCount, sizes.queuedCount)) * 16_384
      + Double(64 << 20)
    let place = options.folder ?? (Self.room(in: Self.memory) > needed ? Self.memory : nil)
    if let place { setenv("TMPDIR", place, 1) }
    folder = try TemporaryFolder("download-bench")
    // Servers and clients put their own temporary files here as well.
    setenv("TMPDIR", folder.path, 1)
    Self.leaveOnSignal()
  }

  /// A folder for one run of one program, empty.
  func makeRunFolder() throws -> String {
    let run = folder.path("run")
    try? FileManager.default.removeItem(atPath: run)
    for path in ["run", "run/output"] { try folder.makeFolder(path) }
    try FileManager.default.createDirectory(
      atPath: run + "/partials", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    return run
  }

  private static func room(in path: String) -> Double {
    var status = statvfs()
    guard access(path, W_OK) == 0, statvfs(path, &status) == 0 else { return 0 }
    return Double(status.f_bavail) * Double(status.f_frsize)
  }

  /// Exits in the ordinary way, so that the folder goes and the server with it.
  private static func leaveOnSignal() {
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      // The handler keeps the source, until it runs.
      source.setEventHandler {
        source.cancel()
        Children.endAll()
        exit(128 + number)
      }
      source.resume()
    }
  }
}

/// The processes that this one has started and not yet reaped.
private enum Children {
  static func endAll() {
    // Other threads may have started some: all tasks are asked (proc(5)).
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    for task in tasks {
      let list = (try? String(contentsOfFile: "/proc/self/task/\(task)/children", encoding: .utf8)) ?? ""
      for child in list.split(separator: " ").compactMap({ pid_t($0) }) { kill(child, SIGTERM) }
    }
  }
}
