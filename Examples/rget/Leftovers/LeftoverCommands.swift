import Foundation
import ResumableDownloads

/// `rget list` and `rget clean`.
enum LeftoverCommands {
  static func list(_ directory: String, now: Date = Date()) -> Int32 {
    with(directory) { leftovers throws(Failure) in
      for leftover in leftovers { Output.result(line(leftover, now: now)) }
      if leftovers.isEmpty { Output.message("nothing in \(directory) is incomplete") }
    }
  }

  static func clean(_ directory: String) -> Int32 {
    with(directory) { leftovers throws(Failure) in
      for leftover in leftovers {
        try leftover.remove()
        Output.result("removed \(Amount.bytes(leftover.bytes)) of \(leftover.name)")
      }
      if leftovers.isEmpty { Output.message("nothing in \(directory) is incomplete") }
    }
  }

  /// Name, bytes, percentage, age and URL.
  static func line(_ leftover: Leftover, now: Date) -> String {
    let sizes =
      leftover.total.map { "\(Amount.bytes(leftover.bytes)) of \(Amount.bytes($0))" } ?? Amount.bytes(leftover.bytes)
    let percent = Amount.percent(leftover.bytes, of: leftover.total).map { ", \($0)%" } ?? ""
    let age = Amount.age(now.timeIntervalSince(leftover.changed))
    let source = leftover.url.map { Masked.url($0) } ?? "complete, not checked yet"
    return "\(leftover.name): \(sizes)\(percent), \(age) old, \(source)"
  }

  private static func with(_ directory: String, _ body: ([Leftover]) throws(Failure) -> Void) -> Int32 {
    let leftovers: [Leftover]
    do { leftovers = try Leftover.all(in: directory) } catch {
      Output.message("rget: \(Failure.trimmed(error.localizedDescription)).")
      return ExitCode.disk.rawValue
    }
    do { try body(leftovers) } catch {
      Output.message("rget: \(error.reason).")
      return error.status.rawValue
    }
    return 0
  }
}
