import Foundation
import Glibc
import LoopbackServer
import TestSupport

/// A network of its own, made with ip(8), for which root is needed. It goes when the value is released.
final class NetworkNamespace: Sendable {
  /// Why none can be made here; nil if one can.
  static let obstacle: String? = {
    guard getuid() == 0 else { return "needs root" }
    guard let program = try? Products.installed("ip") else { return "needs ip of iproute2" }
    guard (try? run(program, ["netns", "add", probe])) == 0 else { return "network namespaces are not allowed here" }
    _ = try? run(program, ["netns", "delete", probe])
    return nil
  }()

  private static let probe = "rget-probe-\(getpid())"

  /// setns(2), which Swift's Glibc module does not show.
  private static let enter = dlsym(nil, "setns").map {
    unsafeBitCast($0, to: (@convention(c) (Int32, Int32) -> Int32).self)
  }
  /// `CLONE_NEWNET`.
  private static let networkKind: Int32 = 0x4000_0000

  let name: String
  private let program: String

  init() throws {
    program = try Products.installed("ip")
    name = "rget-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    try command("netns", "add", name)
  }

  deinit { _ = try? Self.run(program, ["netns", "delete", name]) }

  /// Gives it a loopback interface that works, or takes that away.
  func setUp(_ isUp: Bool) throws { try command("-n", name, "link", "set", "lo", isUp ? "up" : "down") }

  /// Runs a closure on a thread that sees this network only. A socket stays in the network in which it was made.
  func inside<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    let path = "/run/netns/\(name)"
    return try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        guard descriptor >= 0, Self.enter?(descriptor, Self.networkKind) == 0 else {
          return continuation.resume(throwing: TestSupportError.system(call: "setns \(path)", code: errno))
        }
        continuation.resume(with: Swift.Result { try body() })
      }
    }
  }

  /// The words that run a program in this network.
  func words(_ path: String, _ arguments: [String]) -> [String] { ["netns", "exec", name, path] + arguments }

  private func command(_ arguments: String...) throws {
    guard try Self.run(program, arguments) == 0 else {
      throw TestSupportError.commandFailed("ip \(arguments.joined(separator: " "))")
    }
  }

  private static func run(_ program: String, _ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
