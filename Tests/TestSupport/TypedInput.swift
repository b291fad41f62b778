import Glibc
import Synchronization

/// The standard input of a program, to which a test writes.
///
/// It is a socket and no pipe: writing to a pipe whose reader has ended would end the tests with SIGPIPE.
final class TypedInput: Sendable {
  private let ends: Mutex<(own: Int32, childs: Int32?)>

  /// - Throws: `TestSupportError.system`.
  init() throws {
    var ends: [Int32] = [0, 0]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw TestSupportError.system(call: "socketpair", code: errno)
    }
    self.ends = Mutex((ends[0], ends[1]))
  }

  deinit {
    releaseChildsEnd()
    ends.withLock { _ = close($0.own) }
  }

  /// The end for the program.
  var childsEnd: Int32? { ends.withLock { $0.childs } }

  /// To be called when the program has its end.
  func releaseChildsEnd() {
    let end = ends.withLock { ends in
      defer { ends.childs = nil }
      return ends.childs
    }
    if let end { close(end) }
  }

  /// Writes a line; lines are short, so that the socket always has room for one.
  func type(_ line: String) throws {
    let bytes = Array("\(line)\n".utf8)
    let count = ends.withLock { send($0.own, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    guard count == bytes.count else { throw TestSupportError.system(call: "send", code: errno) }
  }

  /// Lets the program come to the end of its input.
  func end() {
    ends.withLock { _ = shutdown($0.own, Int32(SHUT_WR)) }
  }
}
