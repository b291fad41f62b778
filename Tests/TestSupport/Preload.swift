import Foundation

/// A library that is loaded into a program before all others and sees what it does to the files of one folder: it
/// writes down each change and each sync, lets some fail, or ends the program at a chosen one.
///
/// Built from `Tests/Preload/preload.c`, which says what the orders mean.
public struct Preload: Sendable {
  /// What is to happen to a program.
  public enum Order: Sendable, CustomStringConvertible {
    /// `SIGKILL` before, in the middle of, or after the n-th call of a kind.
    case kill(String, Int, Moment)
    /// The n-th call of a kind fails with that `errno`; all later ones, too, if it fails for ever.
    case fail(String, Int, Int32, forEver: Bool)
    /// The n-th call of a kind never happens and its thread never goes on. `Preload.holding` is on standard error then.
    case hold(String, Int)
    /// Each write takes at most so many bytes.
    case shortWrites(Int)
    /// The files of the folder may have so many bytes together; what goes beyond fails with `EDQUOT`.
    case quota(Int)
    /// Every lock fails with that `errno`, or, with 0, everybody gets every lock.
    case locks(Int32)

    /// When a program is ended, as seen from the call.
    public enum Moment: String, Sendable, CaseIterable {
      /// It never happens.
      case before
      /// It has happened.
      case after
      /// Half of a write has happened.
      case torn
    }

    /// The environment variable and its value.
    var variable: (name: String, value: String) {
      switch self {
      case .kill(let kind, let number, .before): ("PRELOAD_KILL", "\(kind):\(number)")
      case .kill(let kind, let number, let moment): ("PRELOAD_KILL", "\(kind):\(number):\(moment.rawValue)")
      case .fail(let kind, let number, let code, let forEver):
        ("PRELOAD_FAIL", "\(kind):\(number):\(code)\(forEver ? ":ever" : "")")
      case .hold(let kind, let number): ("PRELOAD_HOLD", "\(kind):\(number)")
      case .shortWrites(let most): ("PRELOAD_SHORT", "\(most)")
      case .quota(let most): ("PRELOAD_QUOTA", "\(most)")
      case .locks(let code): ("PRELOAD_LOCK", "\(code)")
      }
    }

    /// As in the environment.
    public var description: String { "\(variable.name)=\(variable.value)" }
  }

  /// What a program that is held says.
  public static let holding = "preload: held a call"

  private static let building = Task { try await build() }
  private let folder: TemporaryFolder

  /// The library, built once for all tests of a process.
  public static func library() async throws -> Preload { try await building.value }

  /// The variables for a program that works on `folder`.
  ///
  /// - Parameters:
  ///   - log: A file to which the calls are appended; see `DiskCall`.
  ///   - orders: What is to happen.
  public func environment(folder watched: String, log: String? = nil, orders: [Order] = []) -> [String: String?] {
    var variables: [String: String?] = ["LD_PRELOAD": folder.path("preload.so"), "PRELOAD_FOLDER": watched]
    if let log { variables["PRELOAD_LOG"] = log }
    for order in orders { variables[order.variable.name] = order.variable.value }
    // The address sanitizer wants to come first; what is loaded here does not touch memory that it watches.
    variables["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_leaks=0"
    return variables
  }

  private static func build() async throws -> Preload {
    let folder = try TemporaryFolder("preload")
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Preload/preload.c").path
    // The toolchain brings a compiler for C.
    let compiler = try (try? Products.installed("clang")) ?? Products.installed("cc")
    let arguments = ["-shared", "-fPIC", "-O1", "-o", folder.path("preload.so"), source, "-ldl", "-lpthread"]
    let result = try await ChildProcess.run(compiler, arguments)
    guard result.isSuccess else { throw TestSupportError.commandFailed(result.errorText) }
    return Preload(folder: folder)
  }
}
