import Foundation
import LoopbackServer

/// Waits for a child without reaping it, counts its threads meanwhile and ends it when it takes too long.
final class ProcessWatcher: Sendable {
  private struct State: Sendable {
    var threads = 1
    var isEnded = false
    var isTooSlow = false
  }

  private static let pollMicroseconds: UInt32 = 5000

  private let child: pid_t
  private let state = Observed(State())

  init(_ child: pid_t, limitSeconds: Double) {
    self.child = child
    let deadline = SteadyClock.now() + limitSeconds
    Thread.detachNewThread { [self] in
      while look(deadline) { usleep(Self.pollMicroseconds) }
    }
  }

  var threads: Int { state.value.threads }
  var isTooSlow: Bool { state.value.isTooSlow }

  /// Returns when the child has ended. Its number stays taken until `wait4`, so nobody else is looked at or killed.
  func waitForEnd() {
    var info = siginfo_t()
    while waitid(P_PID, id_t(child), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
    state.update { $0.isEnded = true }
  }

  private func look(_ deadline: Double) -> Bool {
    let count = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(child)/task").count) ?? 0
    return state.update { [child] state in
      guard !state.isEnded else { return false }
      state.threads = max(state.threads, count)
      if SteadyClock.now() > deadline, !state.isTooSlow {
        state.isTooSlow = true
        kill(child, SIGKILL)
      }
      return true
    }
  }
}
