import Foundation
import Glibc

/// A small disk in memory, for which root is needed.
public struct SmallDisk: Sendable {
  /// Whether one can be made; root in a container may lack the right.
  public static let isPossible: Bool = {
    guard getuid() == 0, Products.isInstalled("mount"), let folder = try? TemporaryFolder("probe") else {
      return false
    }
    guard Glibc.mount("tmpfs", folder.path, "tmpfs", 0, "size=64k") == 0 else { return false }
    return umount(folder.path) == 0
  }()

  /// Where it is mounted.
  public let path: String

  /// Mounts one on a folder; sizes as in `600k` or `4m`.
  public static func mount(on path: String, size: String) async throws -> SmallDisk {
    try await run("mount", ["-t", "tmpfs", "-o", "size=\(size),mode=700", "tmpfs", path])
    return SmallDisk(path: path)
  }

  /// Gives it another size.
  public func resize(_ size: String) async throws {
    try await Self.run("mount", ["-o", "remount,size=\(size)", path])
  }

  /// Lets nobody change anything on it.
  public func makeReadOnly() async throws { try await Self.run("mount", ["-o", "remount,ro", path]) }

  /// Takes it away, also while something in it is open.
  public func unmount() async throws { try await Self.run("umount", ["-l", path]) }

  private static func run(_ name: String, _ arguments: [String]) async throws {
    let result = try await ChildProcess.run(try Products.installed(name), arguments)
    guard result.isSuccess else { throw TestSupportError.commandFailed(result.errorText) }
  }
}
