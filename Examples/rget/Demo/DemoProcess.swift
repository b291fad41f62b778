import Foundation

/// This program once more, in a process of its own, with its standard output as lines.
final class DemoProcess: Sendable {
  /// How a process ended.
  enum End: Equatable, Sendable {
    case exit(Int32)
    case signal(Int32)
  }

  /// The lines of its standard output; ends when it does.
  let lines: AsyncStream<String>
  private let process: Process
  private let ends: AsyncStream<End>

  /// Starts the program that runs now with other arguments.
  init(arguments: [String]) throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe")
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    let (ends, continuation) = AsyncStream<End>.makeStream()
    process.terminationHandler = { process in
      let status = process.terminationStatus
      continuation.yield(process.terminationReason == .exit ? .exit(status) : .signal(status))
      continuation.finish()
    }
    try process.run()
    self.ends = ends
    self.process = process
    lines = Self.lines(of: output.fileHandleForReading)
  }

  var processIdentifier: Int32 { process.processIdentifier }

  /// Ends the process at once, without letting it tidy up.
  func kill() {
    if process.isRunning { _ = Foundation.kill(process.processIdentifier, SIGKILL) }
  }

  /// Waits until it has ended.
  func end() async -> End {
    for await end in ends { return end }
    return .exit(-1)
  }

  private static func lines(of handle: FileHandle) -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    // Reading blocks, which the threads of the concurrency runtime must not.
    Thread.detachNewThread {
      var rest = Data()
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        // FileHandle.read(upToCount:) would wait for a full buffer.
        let count = Foundation.read(handle.fileDescriptor, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        rest.append(contentsOf: buffer[..<count])
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
          rest = Data(rest[(end + 1)...])
        }
      }
      continuation.finish()
    }
    return lines
  }
}
