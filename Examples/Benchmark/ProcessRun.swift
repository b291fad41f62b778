import Foundation

/// One run of a program as a whole process, and what it cost (wait4(2)).
struct ProcessRun {
  let wallSeconds: Double
  let userSeconds: Double
  let systemSeconds: Double
  /// The largest resident size.
  let peakBytes: Int64
  /// The most threads that were seen at once; looked at every few milliseconds.
  let threads: Int
  let output: Data

  private typealias Fork = @convention(c) () -> pid_t
  /// The C library's fork(2), which its Swift module hides. `posix_spawn` lends the child our memory until it has
  /// started, and Linux then counts our resident size as the least peak of the child (getrusage(2), `ru_maxrss`).
  private static let fork = dlsym(nil, "fork").map { unsafeBitCast($0, to: Fork.self) }

  /// What a client of this program has counted, which is all that it writes.
  func clientValues() throws -> [String: Double] { try JSONDecoder().decode([String: Double].self, from: output) }

  /// Runs a program to its end; output and errors go to files in `folder`.
  static func measure(
    _ program: String, _ arguments: [String], folder: String, limitSeconds: Double
  ) throws -> ProcessRun {
    let (output, errors) = (folder + "/stdout", folder + "/stderr")
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    let descriptors = try [
      OpenFile.descriptor("/dev/null", O_RDONLY), OpenFile.descriptor(output, O_WRONLY | O_CREAT | O_TRUNC),
      OpenFile.descriptor(errors, O_WRONLY | O_CREAT | O_TRUNC),
    ]
    defer { for descriptor in descriptors { close(descriptor) } }
    let start = SteadyClock.now()
    let child = try launch(&words, descriptors)
    let watcher = ProcessWatcher(child, limitSeconds: limitSeconds)
    var (status, usage) = (Int32(0), rusage())
    watcher.waitForEnd()
    let wall = SteadyClock.now() - start
    while wait4(child, &status, 0, &usage) < 0 && errno == EINTR {}
    guard status == 0 else {
      let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
      let name = (program as NSString).lastPathComponent
      let cause = watcher.isTooSlow ? "took too long" : "ended with wait status \(status)"
      throw BenchmarkError.peerFailed("\(name) \(cause): \(text.suffix(300))")
    }
    return ProcessRun(
      wallSeconds: wall, userSeconds: SteadyClock.seconds(usage.ru_utime),
      systemSeconds: SteadyClock.seconds(usage.ru_stime),
      peakBytes: Int64(usage.ru_maxrss) * 1024, threads: watcher.threads,
      output: try Data(contentsOf: URL(fileURLWithPath: output)))
  }

  private static func launch(_ words: inout [UnsafeMutablePointer<CChar>?], _ descriptors: [Int32]) throws -> pid_t {
    guard let fork else { throw BenchmarkError.missing("fork") }
    return try words.withUnsafeMutableBufferPointer { words in
      try descriptors.withUnsafeBufferPointer { descriptors in
        let child = fork()
        if child == 0 {
          // Between fork and exec only calls that are safe in a signal handler: other threads may hold any lock.
          for (number, descriptor) in descriptors.enumerated() { dup2(descriptor, Int32(number)) }
          if let list = words.baseAddress, let program = list[0] { execv(program, list) }
          _exit(127)
        }
        guard child > 0 else { throw BenchmarkError.last("fork") }
        return child
      }
    }
  }
}
