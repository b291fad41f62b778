import Foundation
import Glibc

/// Ports of this machine.
enum ListeningPort {
  /// A port on 127.0.0.1 that was free a moment ago.
  static func free() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw TestSupportError.system(call: "socket", code: errno) }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
      }
    }
    guard result == 0 else { throw TestSupportError.system(call: "bind", code: errno) }
    return UInt16(bigEndian: address.sin_port)
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
