internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// The record of a task of a session with an identifier; tasks of other sessions have none, and nothing here does
/// anything for them.
extension DownloadTask {
  /// Writes the record and waits for the disk, if it says something new. Any thread.
  ///
  /// - Returns: Why it could not be written. The record before it stays, and the next change tries again.
  @discardableResult
  func saveRecord() -> StorageError? {
    guard let folder = currentSession?.identified?.folder, let next = locked.withLock({ $0.nextRecord() }) else {
      return nil
    }
    do {
      try folder.write(taskIdentifier, next.record.encoded(), revision: next.revision)
      return nil
    } catch {
      locked.withLock { $0.savedRecord = nil }
      return error as? StorageError ?? StorageError(operation: .write, code: EFBIG, path: folder.directory.path)
    }
  }

  /// Changes the record from the loop, which does not wait for the disk: the sync queue writes, before any final move
  /// that is ordered later.
  func changeRecord(_ change: (inout TaskRecord) -> Void) {
    let isRecorded = locked.withLock { state in
      guard var record = state.record else { return false }
      change(&record)
      state.record = record
      return true
    }
    guard isRecorded else { return }
    currentSession?.coordinator.syncQueue.async { self.saveRecord() }
  }

  /// The delegate is about to be given the file: from now on its absence means that the delegate has taken it.
  func recordHandingOver() {
    locked.withLock { $0.record?.isHandedOver = true }
    saveRecord()
  }

  /// Goes on as the process that made the task would have.
  func restore(_ restoration: Restoration) {
    switch restoration {
    case .suspended: break
    case .running: resume()
    case .cancelled(let producingResumeData):
      keepSession { state in
        state.isCanceling = true
        state.cancellation = producingResumeData ? .paused : .cancelled
      }
      currentSession?.coordinator.endIdle(job.value, producingResumeData: producingResumeData, observer: self)
    case .finished(let file, let size):
      keepSession { $0.suspendCount = 0 }
      counters.written.store(size, ordering: .relaxed)
      counters.expected.store(size, ordering: .relaxed)
      // What the earlier process reported is not reported again.
      didRestart(at: size)
      didFinish(file)
      didEnd(nil)
    case .handedOver:
      keepSession { $0.suspendCount = 0 }
      didEnd(nil)
    }
  }

  /// There is no driver that would keep the session until the end is told.
  private func keepSession(_ change: (inout LockedState) -> Void) {
    let session = currentSession
    locked.withLock { state in
      state.isStarted = true
      state.session = session
      change(&state)
    }
  }
}

extension DownloadTask.LockedState {
  /// Takes over what a record says of a task.
  mutating func restore(_ record: TaskRecord) {
    description = record.description
    priority = record.priority
    beginDate = record.beginTime.map { Date(timeIntervalSince1970: $0) }
    head = record.response?.head
    self.record = record
    savedRecord = record
  }

  /// What the record has to say now; `nil` when that is on disk already or the task has ended.
  fileprivate mutating func nextRecord() -> (record: TaskRecord, revision: UInt64)? {
    guard !isCompleted, var next = record else { return nil }
    next.state = cancellation ?? (suspendCount > 0 ? .suspended : .running)
    let text = description ?? ""
    next.description = text.utf8.count <= TaskRecord.maximumDescriptionByteCount ? description : nil
    next.priority = priority.isFinite ? priority : URLSessionTask.defaultPriority
    next.beginTime = beginDate.map(\.timeIntervalSince1970).flatMap { $0.isFinite ? $0 : nil }
    guard next != savedRecord else { return nil }
    (record, savedRecord) = (next, next)
    revision += 1
    return (next, revision)
  }
}
