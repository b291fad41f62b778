import Foundation
import ResumableDownloads

/// `rget list` and `rget clean`.
enum LeftoverCommands {
  static func list(_ directory: String) -> Int32 {
    let now = Date()
    return forEach(in: directory) { leftover throws(Failure) in Output.result(line(leftover, now: now)) }
  }

  static func clean(_ directory: String) -> Int32 {
    forEach(in: directory) { leftover throws(Failure) in
      try leftover.remove()
      Output.result("removed \(Amount.bytes(leftover.bytes)) of \(leftover.name)")
    }
  }

  /// Name, bytes, percentage, age and URL.
  private static func line(_ leftover: Leftover, now: Date) -> String {
    let sizes =
      leftover.total.map { "\(Amount.bytes(leftover.bytes)) of \(Amount.bytes($0))" } ?? Amount.bytes(leftover.bytes)
    let percent = Amount.percent(leftover.bytes, of: leftover.total).map { ", \($0)%" } ?? ""
    let age = Amount.age(now.timeIntervalSince(leftover.changed))
    let source = leftover.url.map { Masked.url($0) } ?? "complete, not checked yet"
    return "\(leftover.name): \(sizes)\(percent), \(age) old, \(source)"
  }

  /// Returns the exit status.
  private static func forEach(in directory: String, _ body: (Leftover) throws(Failure) -> Void) -> Int32 {
    do {
      let leftovers = try Leftover.all(in: directory)
      for leftover in leftovers { try body(leftover) }
      if leftovers.isEmpty { Output.message("nothing in \(directory) is incomplete") }
      return ExitCode.complete.rawValue
    } catch {
      let failure = error as? Failure ?? Failure(.disk, Failure.sentence(error))
      Output.message("rget: \(failure.reason).")
      return failure.status.rawValue
    }
  }
}
