internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// What a session with an identifier has beyond others: the records of its tasks, and what was not told before.
final class IdentifiedTasks: Sendable {
  /// The records; `nil` when the session may have none, and then all its tasks fail.
  let folder: TaskFolder?
  /// The records that an ended process left, and the numbers of all, also of those that cannot be read.
  let left: (readable: [TaskRecord], numbers: [Int])
  private let refusal: DownloadFailure.Reason?
  /// The restored tasks whose end the delegate has to hear before `urlSessionDidFinishEvents`.
  private let untold = Mutex<Set<Int>>([])

  /// Takes the folder of an identifier for this session.
  init(identifier: String, base: String?) {
    do throws(StorageError) {
      let folder = try TaskFolder(path: StatePath.folder(of: identifier, in: base))
      // Were a folder that cannot be read taken for an empty one, new tasks would get the numbers of those in it.
      left = try folder.records()
      self.folder = folder
      refusal = nil
    } catch {
      folder = nil
      left = ([], [])
      refusal =
        switch (error.operation, error.code) {
        case (.inUse, EDEADLK): .identified(.usedByThisProcess)
        case (.inUse, _): .identified(.usedByAnotherProcess)
        default: .storage(error)
        }
    }
  }

  /// Records a new task before anybody has it; a job that cannot be recorded fails at its start.
  func admit(
    _ job: inout DownloadJob, request: URLRequest?, identifier: Int, style: DownloadTask.Style
  ) -> TaskRecord? {
    switch job.source {
    case .refused, .unreadable: return nil
    case .request, .resume: break
    }
    guard case .delegate = style else {
      job.source = .refused(.identified(.completionHandler))
      return nil
    }
    guard let folder, let request else {
      job.source = .refused(refusal ?? .malformedURL)
      return nil
    }
    let record = Self.record(of: job, request: request, identifier: identifier)
    do {
      _ = try record.validated()
      try folder.create(identifier, record.encoded())
    } catch {
      job.source = .refused(Self.reason(error))
      return nil
    }
    job.partialStem = record.partialStem
    return record
  }

  private static func reason(_ error: any Error) -> DownloadFailure.Reason {
    switch error {
    case let error as StorageError: .storage(error)
    case ResumeDataError.tooLarge: .identified(.unrecordable("It is too large."))
    case ResumeDataError.invalidField(let name), ResumeDataError.numberOutOfRange(let name),
      ResumeDataError.unsafePath(let name):
      .identified(.unrecordable("Its \(name) is not valid."))
    default: .identified(.unrecordable(error.localizedDescription))
    }
  }

  private static func record(of job: DownloadJob, request: URLRequest, identifier: Int) -> TaskRecord {
    var record = TaskRecord(
      identifier: identifier, request: RecordedRequest(request, body: job.body),
      partialStem: UUID.random().name)
    record.request.headers.removeAll { job.unrecordedFields.contains($0.name.lowercased()) }
    if case .resume(_, let original) = job.source { record.resumeData = original }
    record.validatesStatus = job.validatesStatus
    record.destination = job.destination.map {
      TaskRecord.Destination(path: $0.path, replacesExisting: $0.replacesExisting)
    }
    return record
  }

  /// Tasks whose end has to be told first.
  func expect(_ identifiers: [Int]) {
    untold.withLock { $0.formUnion(identifiers) }
  }

  /// A task's end was told; whether it was the last of those expected.
  func told(_ identifier: Int) -> Bool {
    untold.withLock { $0.remove(identifier) != nil && $0.isEmpty }
  }
}
