import Foundation
import Glibc

/// Starts a program with `posix_spawn`.
struct Launch {
  let path: String
  let arguments: [String]
  let environment: [String: String]
  let folder: String?
  /// Becomes its standard input and stays the caller's; `/dev/null` if nil.
  var input: Int32?

  /// Returns the process identifier and the reading ends of its output and errors, which the caller closes.
  func start() throws -> (identifier: Int32, output: Int32, errors: Int32) {
    let output = try Pipe()
    let errors: Pipe
    do { errors = try Pipe() } catch {
      output.closeBoth()
      throw error
    }
    do {
      let identifier = try spawn(output.writing, errors.writing)
      close(output.writing)
      close(errors.writing)
      return (identifier, output.reading, errors.reading)
    } catch {
      output.closeBoth()
      errors.closeBoth()
      throw error
    }
  }

  private func spawn(_ output: Int32, _ errors: Int32) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
    for descriptor in Self.openDescriptors() where descriptor > 2 {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }

    // Swift's Glibc module does not show posix_spawn_file_actions_addchdir_np; env(1) replaces itself by the program.
    let words = folder.map { ["/usr/bin/env", "-C", $0, path] + arguments } ?? [path] + arguments
    let names = words.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in names + variables { free(text) } }
    var identifier: pid_t = 0
    let code = withSpawnAttributes { posix_spawn(&identifier, words[0], &actions, $0, names, variables) }
    guard code == 0 else { throw TestSupportError.system(call: "posix_spawn \(path)", code: code) }
    return identifier
  }

  /// A descriptor that was opened without O_CLOEXEC must not reach the child: it would keep a connection open.
  private static func openDescriptors() -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { Int32($0) }
  }

  private struct Pipe {
    let reading: Int32
    let writing: Int32

    init() throws {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { throw TestSupportError.system(call: "pipe", code: errno) }
      // Other children must not hold the writing end, or the reader never sees its end.
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      (reading, writing) = (ends[0], ends[1])
    }

    func closeBoth() {
      close(reading)
      close(writing)
    }
  }
}
