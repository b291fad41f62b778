#if THREAD_SANITIZER
  internal import Glibc

  /// Stands in for `Synchronization.Mutex` in builds for the thread sanitizer, and in those only.
  ///
  /// The standard library's slow path waits inside a module that the sanitizer does not see, so it takes every
  /// contended lock for a race. It knows the locks of pthread.
  // Both are allocated once; `value` is only touched while `lock` is held.
  struct Mutex<Value>: ~Copyable, @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    init(_ initial: consuming sending Value) {
      pthread_mutex_init(lock, nil)
      value.initialize(to: initial)
    }

    deinit {
      pthread_mutex_destroy(lock)
      value.deinitialize(count: 1)
      value.deallocate()
      lock.deallocate()
    }

    borrowing func withLock<Result, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      return try body(&value.pointee)
    }
  }
#endif
