public import Glibc

/// Calls with attributes for posix_spawn(3) of a child that blocks and ignores no signal.
///
/// - Parameter flags: What is wanted besides, for instance a session of its own.
public func withSpawnAttributes<Result>(
  flags: Int32 = 0, _ body: (UnsafePointer<posix_spawnattr_t>) throws -> Result
) rethrows -> Result {
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var (none, all) = (sigset_t(), sigset_t())
  sigemptyset(&none)
  sigfillset(&all)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setsigdefault(&attributes, &all)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | flags))
  return try body(&attributes)
}
