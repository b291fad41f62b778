import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport

/// Downloads a file from a hostile server, continuing as long as there is resume data, and checks every end.
struct SequenceRun: Sendable {
  /// How a hostile server is asked; silence is short so that thousands of sequences can be played.
  struct Sessions: Sendable {
    let hasty: DownloadSession
    let retrying: DownloadSession
    /// For honest answers, which may be late when the machine is busy.
    let patient: DownloadSession

    init(partials: URL) {
      func make(_ seconds: TimeInterval, _ policy: RetryPolicy?) -> DownloadSession {
        let configuration = URLSessionConfiguration.default
        configuration.partialsDirectory = partials
        configuration.timeoutIntervalForRequest = seconds
        configuration.httpMaximumConnectionsPerHost = 64
        configuration.retryPolicy = policy
        return DownloadSession(configuration: configuration)
      }
      hasty = make(0.5, nil)
      retrying = make(0.5, RetryPolicy(maximumAttempts: 2, initialDelay: 0.001, maximumDelay: 0.01))
      patient = make(60, nil)
    }

    func invalidate() {
      for session in [hasty, retrying, patient] { session.invalidateAndCancel() }
    }
  }

  let sequence: HostileSequence
  let sessions: Sessions
  let url: URL

  /// What is wrong; empty if nothing is.
  func faults() async throws -> [String] {
    var data: Data?
    // A request that was given up may be answered after all, when the next task has begun.
    var isClean = true
    // One task for each planned answer, and an honest one.
    for number in 0...6 {
      let isOver = sequence.isOver
      let end = try await run(data, patiently: isOver)
      let faults = check(end, resumed: data, honestly: isOver, countsRequests: isClean)
      guard faults.isEmpty else { return faults.map { "task \(number): \($0)" } }
      guard let next = end.outcome.resumeData, !(isOver && mayBeRefused(data)) else { return [] }
      data = next
      isClean = end.outcome.urlError?.code != .timedOut
    }
    return ["the download came to no end"]
  }

  private struct End {
    let outcome: DownloadOutcome
    let received: Int64
    let accounts: [Account]
    let violations: [String]
  }

  private func run(_ data: Data?, patiently: Bool) async throws -> End {
    let session = patiently ? sessions.patient : sequence.retries ? sessions.retrying : sessions.hasty
    let delegate = try RecordingDelegate()
    let task = data.map { session.downloadTask(withResumeData: $0) } ?? session.downloadTask(with: url)
    task.delegate = delegate
    let before = sequence.accounts.count
    task.resume()
    let outcome = try await delegate.completion(of: task)
    // The file goes with the delegate, so it is read here.
    let violations = delegate.orderViolations(for: task, allowingRestarts: true)
    let end = End(
      outcome: outcome, received: task.countOfBytesReceived, accounts: Array(sequence.accounts.dropFirst(before)),
      violations: violations + (outcome.file != nil ? fileFaults(outcome, data, before) : []))
    return end
  }

  /// A finished file is one version in full, or exactly what a fresh answer announced.
  private func fileFaults(_ outcome: DownloadOutcome, _ resumed: Data?, _ before: Int) -> [String] {
    guard let file = outcome.data else { return ["the finished file cannot be read"] }
    if sequence.versions.contains(where: { $0.bytes == file }) { return [] }
    guard let last = sequence.accounts.dropFirst(before).last else { return ["a file came without an answer"] }
    guard last.whole == file || last.mayBeShort && last.whole?.starts(with: file) == true else {
      return ["the file has \(file.count) bytes of nothing that was announced"]
    }
    return last.isPage && resumed != nil ? ["a page took the place of the file"] : []
  }

  private func check(_ end: End, resumed: Data?, honestly: Bool, countsRequests: Bool) -> [String] {
    var faults = end.violations + (countsRequests ? requestFaults(end, resumed) : [])
    if let error = end.outcome.urlError {
      faults += failureFaults(end, resumed)
      if honestly && !mayBeRefused(resumed) {
        faults.append("an honest server was of no use: \(error.code) \(error.localizedDescription)")
      }
    } else if end.outcome.file == nil {
      faults.append("neither a file nor a URLError")
    }
    if honestly, countsRequests, let resumed { faults += continuationFaults(end, resumed) }
    return faults
  }

  /// A whole file that has neither validators nor the recorded length could be any page.
  private func mayBeRefused(_ resumed: Data?) -> Bool {
    guard sequence.profile == .none, let resumed, let record = try? ResumeData(resumed) else { return false }
    return record.expectedTotalBytes != Int64(sequence.current.bytes.count)
  }

  /// What failed can be continued wherever that is possible, and what is kept is the beginning of one version.
  private func failureFaults(_ end: End, _ resumed: Data?) -> [String] {
    guard let data = end.outcome.resumeData else {
      if resumed != nil { return ["a continued download lost its resume data"] }
      let began = end.accounts.last { !$0.isRedirect }
      let mustContinue = !sequence.retries && end.received > 0 && began?.canBeContinued == true
      return mustContinue ? ["no resume data for \(end.received) bytes"] : []
    }
    if resumed == nil, !end.accounts.contains(where: \.canBeContinued) { return ["resume data for nothing"] }
    guard let record = try? ResumeData(data) else { return ["resume data that cannot be read"] }
    guard let partial = try? Data(contentsOf: record.partialURL) else { return ["a partial file that is not there"] }
    let kept = partial.prefix(Int(record.byteOffset))
    guard kept.count == record.byteOffset, !kept.isEmpty else { return ["fewer bytes than the resume data says"] }
    let named = sequence.versions.filter { record.entityTag?.contains($0.entityTag) ?? true }
    let candidates = named.isEmpty ? sequence.versions : named
    return candidates.contains { $0.begins(with: kept) } ? [] : ["the partial file is of no version: \(record)"]
  }

  /// Requests are few: one of a kind, redirects apart, and no more than one that starts over.
  private func requestFaults(_ end: End, _ resumed: Data?) -> [String] {
    var count = (ranged: 0, plain: 0)
    var wasSilent = false
    for account in end.accounts {
      if !wasSilent && !account.isRedirect {
        if account.hadRange { count.ranged += 1 } else { count.plain += 1 }
      }
      wasSilent = account.isSilent
    }
    // A policy adds two attempts in a row.
    let extra = sequence.retries ? 6 : 0
    if count.plain > 1 + extra { return ["\(count.plain) requests for the whole file"] }
    if count.ranged > (resumed == nil ? 0 : 7) + extra { return ["\(count.ranged) requests for the rest"] }
    return []
  }

  /// An honest server that still has the version is asked for the rest, and for nothing else.
  private func continuationFaults(_ end: End, _ data: Data) -> [String] {
    guard let record = try? ResumeData(data), let first = end.accounts.first else { return [] }
    let current = sequence.current.fields(sequence.profile)
    let length = Int64(sequence.current.bytes.count)
    let tag = current.first { $0.0 == "ETag" }?.1
    let date = current.first { $0.0 == "Last-Modified" }?.1
    guard record.entityTag == tag, record.lastModified == date else { return [] }
    // A length that was announced wrongly is contradicted by the right one.
    guard record.expectedTotalBytes ?? length == length else { return [] }
    // Under a weak tag the length has to agree too, so it must be known.
    if tag?.hasPrefix("W/") == true, record.expectedTotalBytes == nil { return [] }
    return first.hadRange && end.accounts.count == 1 && end.outcome.resumeOffsets == [record.byteOffset]
      ? [] : ["an honest server was asked \(end.accounts.count) times, from \(end.outcome.resumeOffsets)"]
  }
}
