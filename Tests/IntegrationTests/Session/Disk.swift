import Foundation
import Glibc
import TestSupport

/// A small disk in memory.
struct Disk {
  static var canMount: Bool { getuid() == 0 && isInstalled("mount") && probe }
  /// Root in a container may lack the right.
  private static let probe: Bool = {
    guard let folder = try? TemporaryFolder("probe") else { return false }
    guard Glibc.mount("tmpfs", folder.path, "tmpfs", 0, "size=64k") == 0 else { return false }
    return umount(folder.path) == 0
  }()

  let folder: TemporaryFolder
  /// Where it lies in the folder.
  var name = "disk"
  private var path: String { folder.path(name) }

  static func mount(size: String) async throws -> Disk {
    let disk = Disk(folder: try TemporaryFolder("disk"))
    try disk.folder.makeFolder(disk.name)
    try await disk.mount(size: size)
    return disk
  }

  func mount(size: String) async throws {
    try await run("mount", ["-t", "tmpfs", "-o", "size=\(size),mode=700", "tmpfs", path])
  }

  func resize(_ size: String) async throws { try await run("mount", ["-o", "remount,size=\(size)", path]) }

  func makeReadOnly() async throws { try await run("mount", ["-o", "remount,ro", path]) }

  func unmount() async throws { try await run("umount", ["-l", path]) }

  private func run(_ name: String, _ arguments: [String]) async throws {
    let result = try await ChildProcess.run(try Products.installed(name), arguments)
    guard result.isSuccess else { throw TestSupportError.commandFailed(result.errorText) }
  }
}
