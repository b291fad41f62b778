public import Foundation
public import FoundationNetworking
import LoopbackServer
import Synchronization

/// A download delegate that keeps what it is told, and lets a test await it.
///
/// Finished files are moved into a folder of the delegate's own within the callback, and go with it. One delegate is
/// for one session, since task identifiers are unique only there.
public final class RecordingDelegate: NSObject, URLSessionDownloadDelegate, Sendable {
  /// What happens to a finished file within the callback.
  public enum Keeping: Sendable {
    /// It is moved into the delegate's folder.
    case move
    /// It is copied into the delegate's folder.
    case copy
    /// It stays where it is.
    case leave
  }

  /// Code of a test that runs within a callback, after the callback was recorded.
  public struct Hooks: Sendable {
    /// In `didWriteData`, with the task and the bytes so far.
    public var onWrite: (@Sendable (URLSessionDownloadTask, Int64) -> Void)?
    /// In `didResumeAtOffset`, with the task and the offset.
    public var onResume: (@Sendable (URLSessionDownloadTask, Int64) -> Void)?
    /// In `didFinishDownloadingTo`, before the file is kept, with the task and the file.
    public var onFinish: (@Sendable (URLSessionDownloadTask, URL) -> Void)?
    /// In `didCompleteWithError`, with the task.
    public var onComplete: (@Sendable (URLSessionTask) -> Void)?
  }

  struct Record: Sendable {
    var events: [RecordedEvent] = []
    var files: [Int: URL] = [:]
    var temporaryFiles: [Int: URL] = [:]
    var outcomes: [Int: DownloadOutcome] = [:]
    var faults: [Int: [String]] = [:]
    var running: Set<Int> = []
    var isInvalid = false

    func events(of task: Int) -> [DownloadEvent] { events.filter { $0.task == task }.map(\.event) }
  }

  let record = Observed(Record())
  let keeping: Keeping
  private let folder: TemporaryFolder
  private let hookState = Mutex(Hooks())

  /// Makes a delegate with an empty record.
  public init(keeping: Keeping = .move) throws {
    self.keeping = keeping
    folder = try TemporaryFolder("downloads")
    super.init()
  }

  /// The hooks; they may be set at any time.
  public var hooks: Hooks {
    get { hookState.withLock { $0 } }
    set { hookState.withLock { $0 = newValue } }
  }

  /// The hook in `didWriteData`.
  public var onWrite: (@Sendable (URLSessionDownloadTask, Int64) -> Void)? {
    get { hooks.onWrite }
    set { hookState.withLock { $0.onWrite = newValue } }
  }

  /// Every callback so far, in order.
  public var events: [RecordedEvent] { record.value.events }

  /// The callbacks so far of one task, in order.
  public func events(of task: URLSessionTask) -> [DownloadEvent] {
    let identifier = task.taskIdentifier
    return record.read { $0.events(of: identifier) }
  }

  /// Returns when the task has completed.
  ///
  /// - Throws: `ServerError.timedOut` at the deadline, `CancellationError` if the test is cancelled.
  public func completion(of task: URLSessionTask) async throws -> DownloadOutcome {
    try await completion(ofTask: task.taskIdentifier)
  }

  /// Returns when the task with that identifier has completed.
  public func completion(ofTask identifier: Int) async throws -> DownloadOutcome {
    let what = "completion of task \(identifier)"
    let record = try await record.wait(for: what) { $0.outcomes[identifier] != nil }
    guard let outcome = record.outcomes[identifier] else { throw ServerError.timedOut(what) }
    return outcome
  }

  /// Returns the callbacks of all tasks as soon as they satisfy a condition, which is a pure function.
  @discardableResult
  public func waitFor(
    _ what: String = "events",
    _ isSatisfied: @escaping @Sendable ([RecordedEvent]) -> Bool
  ) async throws -> [RecordedEvent] {
    try await record.wait(for: what) { isSatisfied($0.events) }.events
  }

  /// Returns when the task has written at least `count` bytes in all.
  public func waitForBytes(_ count: Int64, of task: URLSessionTask) async throws {
    let identifier = task.taskIdentifier
    let what = "\(count) bytes of task \(identifier)"
    _ = try await record.wait(for: what) { record in
      guard let last = record.events.last(where: { $0.task == identifier }) else { return false }
      if case .wrote(_, let total, _) = last.event { return total >= count }
      return false
    }
  }

  /// Returns when the session has told that it is invalid.
  public func invalidated() async throws {
    _ = try await record.wait(for: "the end of the session") { $0.isInvalid }
  }

  /// What was wrong with the order of a completed task's callbacks, or in the delegate; empty if nothing was.
  public func orderViolations(for task: URLSessionTask, allowingRestarts: Bool = false) -> [String] {
    let identifier = task.taskIdentifier
    let (events, faults) = record.read { ($0.events(of: identifier), $0.faults[identifier] ?? []) }
    return EventOrder.violations(events, allowingRestarts: allowingRestarts) + faults
  }

  /// A path for the finished file of a task that no other has.
  func keptFile(_ identifier: Int) -> URL { folder.url("\(identifier)-\(UUID().uuidString)") }
}
