import Foundation

/// Counts how often anybody reads a file (inotify(7), `IN_ACCESS`).
///
/// Not in a process that is measured: closing the descriptor waits some ten milliseconds for the kernel.
struct ReadWatch {
  private let descriptor: FileHandle

  init(_ path: String) throws {
    let number = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard number >= 0 else { throw BenchmarkError.last("inotify_init1") }
    descriptor = FileHandle(fileDescriptor: number, closeOnDealloc: true)
    guard inotify_add_watch(number, path, UInt32(IN_ACCESS)) >= 0 else { throw BenchmarkError.last("watch \(path)") }
  }

  /// Reads that follow each other at once may count as one.
  func count() -> Int {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    let bytes = read(descriptor.fileDescriptor, &buffer, buffer.count)
    // Events of a watched file carry no name, so all have the same size.
    return bytes > 0 ? bytes / MemoryLayout<inotify_event>.size : 0
  }
}
