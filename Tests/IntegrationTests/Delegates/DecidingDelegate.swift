import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import Synchronization
import TestSupport

/// A delegate that decides as a test tells it, and keeps what it was asked.
final class DecidingDelegate: NSObject, DownloadSessionDelegate {
  typealias Challenge = (method: String, realm: String?, failures: Int, proposed: String?)

  struct Decisions: Sendable {
    var redirect: @Sendable (HTTPURLResponse, URLRequest) -> URLRequest? = { $1 }
    var challenge: @Sendable (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?) = {
      _ in (.performDefaultHandling, nil)
    }
    var delayed: @Sendable (URLRequest) -> (URLSession.DelayedRequestDisposition, URLRequest?) = { _ in
      (.continueLoading, nil)
    }
  }

  struct Record: Sendable {
    var calls: [String] = []
    var redirects: [String] = []
    var challenges: [Challenge] = []
    var metrics: [DownloadMetrics] = []
    var file: Data?
    var error: URLError?
    var response: HTTPURLResponse?
    var isComplete = false
  }

  let record = Observed(Record())
  private let decisions: Decisions

  init(_ decisions: Decisions = Decisions()) { self.decisions = decisions }

  /// What became of the one task, as soon as it has completed.
  func completion() async throws -> Record {
    try await record.wait(for: "the end of the task") { $0.isComplete }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    record.update { record in
      record.calls.append("redirect")
      record.redirects.append("\(response.statusCode) \(request.url?.path ?? "")")
    }
    completionHandler(decisions.redirect(response, request))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let space = challenge.protectionSpace
    let asked: Challenge = (
      space.authenticationMethod, space.realm, challenge.previousFailureCount, challenge.proposedCredential?.user
    )
    record.update { record in
      record.calls.append("challenge")
      record.challenges.append(asked)
    }
    let (disposition, credential) = decisions.challenge(challenge)
    completionHandler(disposition, credential)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
  ) {
    record.update { $0.calls.append("delayed") }
    let (disposition, other) = decisions.delayed(request)
    completionHandler(disposition, other)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: DownloadMetrics) {
    record.update { record in
      record.calls.append("metrics")
      record.metrics.append(metrics)
    }
  }

  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    record.update { $0.calls.append("waiting") }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    record.update { $0.calls.append("resumed \(fileOffset)") }
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    let data = try? Data(contentsOf: location)
    record.update { record in
      record.calls.append("finish")
      record.file = data
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let response = task.response as? HTTPURLResponse
    record.update { record in
      record.calls.append("complete")
      record.error = error as? URLError
      record.response = response
      record.isComplete = true
    }
  }
}

/// A session with a deciding delegate and a folder of its own.
struct DecidingFixture {
  let fixture: SessionFixture
  let delegate: DecidingDelegate
  let session: DownloadSession

  init(
    _ decisions: DecidingDelegate.Decisions = DecidingDelegate.Decisions(),
    configure: (URLSessionConfiguration) -> Void = { _ in }
  ) throws {
    fixture = try SessionFixture()
    delegate = DecidingDelegate(decisions)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.partialsDirectory = fixture.partials.url("kept")
    configure(configuration)
    session = DownloadSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  /// Runs a task to its end and returns what the delegate was told.
  func run(_ task: URLSessionTask) async throws -> DecidingDelegate.Record {
    task.resume()
    defer { session.finishTasksAndInvalidate() }
    return try await delegate.completion()
  }
}
