internal import Foundation
internal import Glibc

/// Tells one run of the kernel from the next: what was written but not synced survives only within one.
enum BootIdentifier {
  /// The kernel's identifier of this boot; empty when it cannot be read.
  static let current: String = {
    guard let bytes = FileDescriptor.contents(of: "/proc/sys/kernel/random/boot_id", limit: 256) else { return "" }
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }()
}

/// Facts about this process that do not change while it runs.
enum SystemFacts {
  /// The permissions of an ordinary new file: 0666 without the bits of the umask.
  static let fileMode: mode_t = 0o666 & ~umask

  /// The umask, read without setting it, since setting it even for a moment would affect other threads.
  private static let umask: mode_t = {
    guard let bytes = FileDescriptor.contents(of: "/proc/self/status", limit: 65_536) else { return 0o077 }
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix("Umask:") {
      return mode_t(line.dropFirst(6).trimmingCharacters(in: .whitespaces), radix: 8) ?? 0o077
    }
    return 0o077
  }()
}

/// Functions of the C library that its Swift module does not show, looked up by name.
enum HiddenCalls {
  private typealias Fallocate = @convention(c) (Int32, Int32, off_t, off_t) -> Int32
  private typealias Fstatfs = @convention(c) (Int32, UnsafeMutableRawPointer) -> Int32
  private typealias Renameat2 =
    @convention(c) (
      Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
    ) -> Int32

  private static let fallocate = dlsym(nil, "fallocate").map { unsafeBitCast($0, to: Fallocate.self) }
  private static let fstatfs = dlsym(nil, "fstatfs").map { unsafeBitCast($0, to: Fstatfs.self) }
  private static let renameat2 = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: Renameat2.self) }

  /// Reserves space behind the end of a file without changing its size; fails with `errno` set.
  static func reserve(_ descriptor: Int32, from start: Int64, count: Int64) -> Bool {
    guard let fallocate else {
      errno = EOPNOTSUPP
      return false
    }
    let keepSize: Int32 = 1
    while fallocate(descriptor, keepSize, off_t(start), off_t(count)) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }

  /// Whether a file is kept in memory (tmpfs(5)).
  static func isInMemory(_ descriptor: Int32) -> Bool {
    let (kindOfTmpfs, roomForAnyKernel) = (0x0102_1994, 512)
    return withUnsafeTemporaryAllocation(byteCount: roomForAnyKernel, alignment: 16) { room in
      // The kind is the first word of `struct statfs` (statfs(2)).
      guard let fstatfs, let start = room.baseAddress, fstatfs(descriptor, start) == 0 else { return false }
      return start.load(as: Int.self) == kindOfTmpfs
    }
  }

  /// Renames unless the new name exists; fails with `errno` set.
  static func renameExclusively(
    _ directory: Int32, _ name: String, to path: String, in target: Int32 = AT_FDCWD
  ) -> Bool {
    let noReplace: UInt32 = 1
    if let renameat2 {
      if renameat2(directory, name, target, path, noReplace) == 0 { return true }
      if errno != EINVAL && errno != ENOSYS { return false }
    }
    guard linkat(directory, name, target, path, 0) == 0 else { return false }
    _ = unlinkat(directory, name, 0)
    return true
  }
}
