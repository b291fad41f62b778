internal import Foundation
internal import Glibc
internal import Synchronization

/// An open file that is closed when nobody uses it any more.
final class FileDescriptor: Sendable {
  let number: Int32
  /// The `errno` of the first sync of data that failed, else 0.
  private let syncFailure = Atomic<Int32>(0)

  private init(owning number: Int32) {
    self.number = number
  }

  deinit {
    close(number)
  }

  /// Opens `name` in a directory, through no link unless asked to, never for child processes; nil with `errno` set.
  static func open(
    _ name: String, in directory: Int32 = AT_FDCWD, flags: Int32, mode: mode_t = 0, followingLink: Bool = false
  ) -> FileDescriptor? {
    while true {
      let number = openat(directory, name, flags | O_CLOEXEC | (followingLink ? 0 : O_NOFOLLOW), mode)
      if number >= 0 { return FileDescriptor(owning: number) }
      if errno != EINTR { return nil }
    }
  }

  /// What the open file is right now; nil with `errno` set.
  var status: FileStatus? {
    var raw = stat()
    return fstat(number, &raw) == 0 ? FileStatus(raw) : nil
  }

  /// Writes all of `bytes` at `offset`, or at the end of a file that was opened for appending, whatever `offset` says
  /// (pwrite(2), "BUGS"); returns how many were written, less than all with `errno` set.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    var done = 0
    while done < bytes.count {
      let count = pwrite(number, base + done, bytes.count - done, off_t(offset) + off_t(done))
      if count > 0 {
        done += count
      } else if count == 0 {
        errno = EIO
        break
      } else if errno != EINTR {
        break
      }
    }
    return done
  }

  /// Reads up to `limit` bytes from the start; nil when reading fails or there are more.
  func contents(limit: Int) -> Data? {
    var buffer = [UInt8](repeating: 0, count: limit + 1)
    var done = 0
    while done < buffer.count {
      let wanted = buffer.count - done
      let count = buffer.withUnsafeMutableBytes { room in
        room.baseAddress.map { pread(number, $0 + done, wanted, off_t(done)) } ?? 0
      }
      if count == 0 { break }
      if count > 0 {
        done += count
      } else if errno != EINTR {
        return nil
      }
    }
    return done > limit ? nil : Data(buffer[..<done])
  }

  /// The bytes of a small file of the system.
  static func contents(of path: String, limit: Int) -> Data? {
    open(path, flags: O_RDONLY)?.contents(limit: limit)
  }

  /// Waits until data and size are on the disk; false with `errno` set.
  ///
  /// Once it has failed it fails for good: the kernel reports a block that could not be written once, forgets it, and
  /// lets the next call succeed (fsync(2), "NOTES" and "EIO").
  func syncData() -> Bool {
    let earlier = syncFailure.load(ordering: .acquiring)
    guard earlier == 0 else {
      errno = earlier
      return false
    }
    while fdatasync(number) != 0 {
      let code = errno
      if code == EINTR { continue }
      syncFailure.store(code, ordering: .releasing)
      errno = code
      return false
    }
    return true
  }

  /// Whether bytes that were written may be missing on the disk although reading still shows them.
  var hasFailedSync: Bool { syncFailure.load(ordering: .acquiring) != 0 }

  /// Waits until data and attributes, or the entries of a directory, are on the disk; false with `errno` set.
  func sync() -> Bool {
    while fsync(number) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }

  /// Waits until the names in this directory are on the disk, where it can be waited for (fsync(2), "EINVAL"); false
  /// with `errno` set.
  func syncNames() -> Bool { sync() || errno == EINVAL }

  /// Makes sure of space behind the end of the file, without changing its size; fails with `errno` set.
  ///
  /// A file in memory is not given its pages ahead: that takes a tenth of a second for each GiB, in which nothing else
  /// goes on. There it is only looked whether so much is free.
  func reserve(from start: Int64, count: Int64) -> Bool {
    guard HiddenCalls.isInMemory(number) else { return HiddenCalls.reserve(number, from: start, count: count) }
    var space = statvfs()
    // No blocks at all: the file system has no limit (tmpfs(5), "size").
    guard fstatvfs(number, &space) == 0, space.f_blocks > 0 else { return true }
    let (free, isBeyond) = Int64(clamping: space.f_bavail).multipliedReportingOverflow(
      by: Int64(clamping: space.f_frsize))
    guard !isBeyond, free < count else { return true }
    errno = ENOSPC
    return false
  }

  /// Sets the size; false with `errno` set.
  func truncate(to size: Int64) -> Bool {
    while ftruncate(number, off_t(size)) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }

  /// How often the end of a shared lock is awaited, a millisecond each time.
  private static let patience = 2_000

  /// Takes the exclusive lock of a task that writes; false with `errno` set.
  ///
  /// Another task's lock is tried for a few milliseconds. A shared lock is held by who only looks, so it is waited for.
  ///
  /// - Parameters:
  ///   - isTrusted: Whether locks are known to keep others out here.
  ///   - pause: Lets a millisecond go by between two attempts.
  func lock(
    attempts: Int = 10, isTrusted: Bool = false, pausing pause: () -> Void = { usleep(1000) }
  ) -> Bool {
    for attempt in 1... {
      if flock(number, LOCK_EX | LOCK_NB) == 0 { return isTrusted || keepsOthersOut() }
      if errno == EINTR { continue }
      guard errno == EWOULDBLOCK else { return false }
      let isOnlyLookedAt = attempts > 1 && lockShared()
      unlock()
      errno = EWOULDBLOCK
      if attempt >= (isOnlyLookedAt ? Self.patience : attempts) { return false }
      pause()
    }
    return false
  }

  /// Some network file systems grant every lock to everybody. Whoever opens the file anew must not get this one;
  /// without /proc it is taken on trust. False with `errno` set, and without the lock.
  private func keepsOthersOut() -> Bool {
    let other = Self.open("/proc/self/fd/\(number)", flags: O_RDONLY, followingLink: true)
    guard let other, other.lockShared() else { return true }
    unlock()
    errno = ENOLCK
    return false
  }

  /// Takes the lock of who looks whether a task writes: shared with others that do; false with `errno` set.
  func lockShared() -> Bool {
    while flock(number, LOCK_SH | LOCK_NB) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }

  /// Gives the lock back although the file stays open.
  func unlock() {
    _ = flock(number, LOCK_UN)
  }
}
