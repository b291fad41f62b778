import Foundation
import LoopbackServer

/// Ports of this machine.
enum ListeningPort {
  /// A port on 127.0.0.1 that was free a moment ago.
  static func free() throws -> UInt16 {
    let listener = try Socket.listen(address: "127.0.0.1", port: 0)
    defer { Socket.close(listener) }
    return try Socket.port(of: listener)
  }

  /// True if that process listens on the port. Looks instead of connecting: a stranger might answer.
  static func isHeld(_ port: UInt16, by process: Int32) -> Bool {
    let sockets = listeners(on: port)
    guard !sockets.isEmpty else { return false }
    let folder = "/proc/\(process)/fd"
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return descriptors.contains { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
      return target.map { sockets.contains($0) } ?? false
    }
  }

  /// The listening sockets on a port, as `/proc/<pid>/fd` names them (proc(5), `/proc/net/tcp`).
  private static func listeners(on port: UInt16) -> Set<String> {
    let wanted = ":" + String(repeating: "0", count: 4).appending(String(port, radix: 16, uppercase: true)).suffix(4)
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }
    let lines = tables.flatMap { $0.split(separator: "\n") }.map { $0.split(separator: " ") }
    // Columns: number, local address, remote address, state (0A is LISTEN), …, inode.
    let matching = lines.filter { $0.count > 9 && $0[1].hasSuffix(wanted) && $0[3] == "0A" }
    return Set(matching.map { "socket:[\($0[9])]" })
  }
}
