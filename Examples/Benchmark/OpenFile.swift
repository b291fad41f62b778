import Foundation

/// Opens what the benchmark reads and writes by itself.
enum OpenFile {
  /// A descriptor that no program inherits; whoever gets it closes it (open(2)).
  static func descriptor(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws -> Int32 {
    let descriptor = open(path, flags | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw BenchmarkError.last("open \(path)") }
    return descriptor
  }

  /// A file that was not there before.
  static func new(_ path: String, mode: mode_t = 0o600) throws -> FileHandle {
    let descriptor = try descriptor(path, O_WRONLY | O_CREAT | O_EXCL, mode: mode)
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}
