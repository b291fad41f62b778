internal import Foundation
internal import FoundationNetworking

/// What a session with an identifier does when it is made: it goes on where an ended process stopped.
extension DownloadSession {
  /// Paused downloads that no task continues and nobody has touched are removed after seven days, as everywhere.
  private static let orphansLifetime: TimeInterval = 7 * 24 * 3600

  /// Brings back the recorded tasks, then continues, ends or leaves each of them.
  func restoreTasks() {
    guard let identified, let folder = identified.folder else { return }
    let (records, numbers) = identified.left
    folder.removeOrphans(olderThan: Date(timeIntervalSinceNow: -Self.orphansLifetime))
    let restored = records.compactMap { record in
      restoredTask(record).map { (task: $0, restoration: Restoration(of: record, in: folder.directory)) }
    }
    register(restored.map(\.task), numbers: numbers)
    let untold = restored.filter { $0.restoration.hasEnded }.map(\.task.taskIdentifier)
    identified.expect(untold)
    for (task, restoration) in restored { task.restore(restoration) }
    if untold.isEmpty, !restored.isEmpty { tellEventsDelivered() }
  }

  private func restoredTask(_ record: TaskRecord) -> DownloadTask? {
    guard let url = URL(string: record.request.url) else { return nil }
    let request = record.request.request(url)
    var job = record.resumeData.map { factory.job(resuming: $0).0 } ?? factory.job(for: request)
    job.partialStem = record.partialStem
    job.validatesStatus = record.validatesStatus
    job.destination = record.destination.map {
      DownloadJob.Destination(path: $0.path, replacesExisting: $0.replacesExisting)
    }
    return DownloadTask(
      job: Shared(job), request: request, identifier: record.identifier, style: .delegate, session: self, record: record
    )
  }

  /// A task has told its end: it needs no record any more, and may have been the last of those that an ended process
  /// left.
  func forgetRecord(_ task: DownloadTask) {
    guard let identified else { return }
    identified.folder?.remove(task.taskIdentifier)
    if identified.told(task.taskIdentifier) { tellEventsDelivered() }
  }

  private func tellEventsDelivered() {
    delegateLine.add { [self] in
      (delegate as? any DownloadSessionDelegate)?.urlSessionDidFinishEvents(forBackgroundURLSession: self)
    }
  }
}

extension Restoration {
  /// Whether there is an end to tell and nothing to transfer.
  fileprivate var hasEnded: Bool {
    switch self {
    case .finished, .handedOver, .cancelled: true
    case .running, .suspended: false
    }
  }
}
