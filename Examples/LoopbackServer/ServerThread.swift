import Foundation
import Glibc

/// A thread that can be joined, which Foundation's cannot.
struct ServerThread: Sendable {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private let handle: pthread_t

  /// Starts a thread that runs `body`; `join()` must follow.
  init(_ body: @escaping @Sendable () -> Void) throws {
    var handle = pthread_t()
    // The reference that is retained here is released by the new thread, or below if there is none.
    let box = Unmanaged.passRetained(Body(body))
    let code = pthread_create(
      &handle, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      box.release()
      throw ServerError.system(call: "pthread_create", code: code)
    }
    self.handle = handle
  }

  /// True on the thread itself.
  var isCurrent: Bool { pthread_equal(handle, pthread_self()) != 0 }

  /// Waits for the end of the thread, once. Called on the thread itself it only gives the thread free.
  func join() {
    if isCurrent {
      pthread_detach(handle)
    } else {
      pthread_join(handle, nil)
    }
  }
}
