internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// What the loop tells the task, and what the delegate hears of it.
extension DownloadTask: DownloadObserver {
  private static let maximumTransactions = 1000

  var isSuspended: Bool { locked.withLock { $0.suspendCount > 0 } }

  func didReceive(_ head: ResponseHead, requestFields: [HeaderField]) {
    locked.withLock { state in
      state.head = head
      state.requestFields = requestFields
    }
    keepLogin(after: head)
    // From here on the speed is measured.
    updateProgress()
    changeRecord { $0.response = TaskRecord.Response(head) }
  }

  func didWaitForConnectivity() {
    guard let (session, delegate) = extendedDelegate else { return }
    tell { delegate.urlSession(session, taskIsWaitingForConnectivity: self) }
  }

  func didExchange(_ record: ExchangeRecord) {
    locked.withLock { state in
      guard state.transactions.count < Self.maximumTransactions else { return }
      state.transactions.append(DownloadMetrics.Transaction(record))
    }
  }

  func didResume(at offset: Int64, expected: Int64) {
    updateProgress()
    board.postResume(at: offset, expected: expected)
    relay.send(.resumed(offset: offset, expected: expected)) { self.deliver($0) }
  }

  func didRestart(at offset: Int64) {
    relay.restart(at: offset) { self.deliver($0) }
  }

  func didProgress() {
    updateProgress()
    board.postProgress(written: countOfBytesReceived, expected: countOfBytesExpectedToReceive)
    if case .delegate = style { relay.progress { self.deliver($0) } }
  }

  func willMove(_ file: FileStatus) {
    changeRecord { $0.finished = TaskRecord.FinishedFile(file) }
  }

  func didFinish(_ file: FinishedFile) {
    // Callbacks keep saying that a length was unknown; progress has to reach its end.
    reported.finish(written: countOfBytesReceived)
    locked.withLock { $0.file = file }
    if case .delegate = style { relay.send(.finished(file)) { self.deliver($0) } }
  }

  func didEnd(_ failure: DownloadFailure?) {
    updateProgress()
    board.updateProgress(written: countOfBytesReceived, expected: countOfBytesExpectedToReceive)
    let error = failure.map { failure in
      ErrorTable.urlError(for: failure, response: locked.withLock { $0.response })
    }
    let handlers = locked.withLock { state in
      defer { state.cancelHandlers = [] }
      state.isCanceling = state.isCanceling || error != nil
      state.hasEnded = true
      return state.cancelHandlers
    }
    for handler in handlers { handler.call(failure?.resumeData) }
    sendMetrics()
    if case .async(let handler) = style {
      complete(error)
      let (file, response) = locked.withLock { ($0.file, $0.response) }
      handler(file?.url, response, error)
      release()
    } else {
      relay.send(.completed(error)) { self.deliver($0) }
    }
  }

  private func sendMetrics() {
    guard let (session, delegate) = extendedDelegate else { return }
    let metrics = locked.withLock { state in
      DownloadMetrics(
        taskInterval: DateInterval(start: min(state.started, Date()), end: Date()),
        redirectCount: state.redirectCount, transactionMetrics: state.transactions)
    }
    tell { delegate.urlSession(session, task: self, didFinishCollecting: metrics) }
  }

  /// Calls the delegate on its queue, in the order of the other callbacks.
  func tell(_ call: @escaping @Sendable () -> Void) {
    relay.send(.call(call)) { self.deliver($0) }
  }

  private func updateProgress() { reported.update(from: counters) }

  // MARK: On the delegate queue

  private func deliver(_ delivery: DelegateRelay.Delivery) {
    switch delivery.event {
    case .rebase: break
    case .call(let call): call()
    case .progress, .progressUpTo: reportWritten(delivery)
    case .resumed(let offset, let expected):
      if let (session, delegate) = downloadDelegate {
        delegate.urlSession(session, downloadTask: self, didResumeAtOffset: offset, expectedTotalBytes: expected)
      }
    case .finished(let file):
      reportWritten(delivery)
      recordHandingOver()
      let receiver = downloadDelegate
      if let (session, delegate) = receiver {
        delegate.urlSession(session, downloadTask: self, didFinishDownloadingTo: file.url)
      }
      giveUp(file, wasOffered: receiver != nil)
    case .completed(let error): deliverEnd(error)
    }
  }

  private func reportWritten(_ delivery: DelegateRelay.Delivery) {
    // What is reported may be newer than the last update: whoever compares the two must find them equal.
    updateProgress()
    guard delivery.newBytes > 0, let (session, delegate) = downloadDelegate else { return }
    delegate.urlSession(
      session, downloadTask: self, didWriteData: delivery.newBytes, totalBytesWritten: delivery.written,
      totalBytesExpectedToWrite: delivery.expected)
  }

  private func deliverEnd(_ error: URLError?) {
    complete(error)
    switch style {
    case .delegate:
      if let session = currentSession {
        let receiver = delegate ?? session.delegate as? any URLSessionTaskDelegate
        receiver?.urlSession(session, task: self, didCompleteWithError: error)
      }
    case .handler(let handler):
      let (file, response) = locked.withLock { ($0.file, $0.response) }
      handler(file?.url, response, error)
      if let file { giveUp(file, wasOffered: true) }
    case .async: break
    }
    release()
  }

  private func complete(_ error: URLError?) {
    locked.withLock { state in
      state.error = error
      state.isCompleted = true
    }
  }

  /// The file that the caller did not move goes when the callback has returned, unless someone reads `events`; one that
  /// moved itself stays.
  private func giveUp(_ file: FinishedFile, wasOffered: Bool) {
    if job.destination == nil { board.takeOver(file, wasOffered: wasOffered) }
  }

  /// Lets go of the delegate and the session, and is forgotten by the latter.
  private func release() {
    let (session, file, error) = locked.withLock { state in
      defer { (state.session, state.delegate) = (nil, nil) }
      return (state.session, state.file, state.error)
    }
    if let file, error == nil {
      board.postEnd(.success(file))
    } else {
      board.postEnd(.failure(error ?? URLError(.unknown)))
    }
    guard let session = session ?? currentSession else { return }
    session.forgetRecord(self)
    session.forget(self)
  }

  private var downloadDelegate: (DownloadSession, any URLSessionDownloadDelegate)? {
    guard let session = currentSession else { return nil }
    let delegate = (delegate as? any URLSessionDownloadDelegate) ?? session.delegate as? any URLSessionDownloadDelegate
    return delegate.map { (session, $0) }
  }

  /// Who hears what FoundationNetworking's protocols lack.
  private var extendedDelegate: (DownloadSession, any DownloadSessionDelegate)? {
    guard let session = currentSession else { return nil }
    let delegate = (delegate as? any DownloadSessionDelegate) ?? session.delegate as? any DownloadSessionDelegate
    return delegate.map { (session, $0) }
  }
}
