import Dispatch
import Glibc
import LoopbackServer

/// Calls back whenever something happens to a file right in a folder: made, written, cut, renamed or removed.
///
/// The calls come one after the other on a thread of the system (inotify(7)), until the value is released.
public final class FolderWatch {
  private let source: any DispatchSourceRead

  /// Watches a folder that exists.
  ///
  /// - Throws: `TestSupportError.system` if the kernel refuses.
  public init(_ folder: String, changed: @escaping @Sendable () -> Void) throws {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { throw TestSupportError.system(call: "inotify_init1", code: errno) }
    let events = IN_MODIFY | IN_CREATE | IN_DELETE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM
    guard inotify_add_watch(descriptor, folder, UInt32(events)) >= 0 else {
      let code = errno
      close(descriptor)
      throw TestSupportError.system(call: "inotify_add_watch \(folder)", code: code)
    }
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: DispatchQueue(label: "FolderWatch"))
    source.setEventHandler {
      var buffer = [UInt8](repeating: 0, count: 16 * 1024)
      while read(descriptor, &buffer, buffer.count) > 0 {}
      changed()
    }
    source.setCancelHandler { close(descriptor) }
    source.resume()
  }

  deinit { source.cancel() }

  /// Returns when a condition holds that the files of a folder decide.
  ///
  /// - Throws: `ServerError.timedOut` at the deadline.
  public static func wait(
    in folder: String, for what: String, until isSatisfied: @escaping @Sendable () -> Bool
  ) async throws {
    let changes = Observed(())
    let watch = try FolderWatch(folder) { changes.update { _ in } }
    defer { withExtendedLifetime(watch) {} }
    _ = try await changes.wait(for: what) { isSatisfied() }
  }
}
