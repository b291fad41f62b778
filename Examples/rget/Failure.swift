import Foundation
import FoundationNetworking
import ResumableDownloads

/// Why a download has no file, in one sentence, and what to do about it.
struct Failure: Error, Equatable {
  var status: ExitCode
  /// Without a full stop.
  var reason: String
  /// What to do, as sentences; empty if there is nothing to say.
  var advice = ""
  /// How many bytes the next run need not fetch again.
  var offset: Int64?

  init(_ status: ExitCode, _ reason: String, advice: String = "", offset: Int64? = nil) {
    (self.status, self.reason, self.advice, self.offset) = (status, reason, advice, offset)
  }

  /// What ended a transfer.
  init(_ error: any Error, response: URLResponse? = nil) {
    self.init(Self.status(of: error, response), Self.sentence(error, response: response))
    let data = (error as? URLError)?.downloadTaskResumeData
    // Data that cannot be read again is worth nothing to the next run either.
    offset = data.flatMap { try? ResumeData($0) }?.byteOffset
    advice = Self.advice(status, response, offset)
    guard let error = error as? URLError else { return }
    let number = (error.userInfo[NSUnderlyingErrorKey] as? NSError).map { Int32($0.code) }
    switch (status, number) {
    // As it is, it would fail again.
    case (.someFailed, _) where error.code == .clientCertificateRejected: advice = "Look at --cert and --key."
    case (.someFailed, let number?) where Self.meansTaken(number):
      advice = "When the other process has ended, the same command goes on."
    case (.disk, ENOENT?): advice = "The folder has to be there before."
    default: break
    }
  }

  /// A call of the system has failed, by default the last one; `action` is what could not be done.
  static func system(_ action: String, code: Int32 = errno, advice: String = "") -> Failure {
    Failure(.disk, "cannot \(action): \(String(cString: strerror(code)))", advice: advice)
  }

  /// Why something failed, as a sentence without its full stop.
  static func sentence(_ error: any Error, response: URLResponse? = nil) -> String {
    if let status = refusal(error, response) {
      return "the server answered with status \(status)" + (meanings[status].map { " (\($0))" } ?? "")
    }
    return trimmed(error.localizedDescription)
  }

  /// Without what Foundation puts before every reason, and without the full stop.
  private static func trimmed(_ text: String) -> String {
    let empty = "The operation could not be completed. "
    let reason = text.hasPrefix(empty) ? text.dropFirst(empty.count) : text[...]
    return String(reason.hasSuffix(".") ? reason.dropLast() : reason)
  }

  private static let meanings = [
    401: "a login is needed", 403: "forbidden", 404: "not found", 407: "the proxy needs a login", 410: "gone",
    429: "too many requests", 500: "its own error", 502: "bad gateway", 503: "not available at the moment",
  ]

  /// The status of an answer that says no.
  private static func refusal(_ error: any Error, _ response: URLResponse?) -> Int? {
    guard (error as? URLError)?.code == .badServerResponse, let response = response as? HTTPURLResponse,
      response.statusCode >= 400
    else { return nil }
    return response.statusCode
  }

  private static func status(of error: any Error, _ response: URLResponse?) -> ExitCode {
    guard let error = error as? URLError else { return .disk }
    switch error.code {
    case .badServerResponse, .httpTooManyRedirects, .userAuthenticationRequired: return .refused
    case .cannotCreateFile, .cannotOpenFile, .cannotWriteToFile, .cannotMoveFile, .cannotRemoveFile, .cannotCloseFile:
      let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
      // A file that another process writes, or has just put there, is no fault of the disk.
      let isTaken = underlying.map { meansTaken(Int32($0.code)) } ?? true
      return isTaken ? .someFailed : .disk
    case .unsupportedURL, .badURL, .cancelled, .clientCertificateRejected: return .someFailed
    default: return .network
    }
  }

  private static func meansTaken(_ number: Int32) -> Bool { [EWOULDBLOCK, EEXIST, ESTALE].contains(number) }

  private static func advice(_ status: ExitCode, _ response: URLResponse?, _ offset: Int64?) -> String {
    let rerun =
      offset.map { "The same command again continues from byte \($0)." }
      ?? "The same command again starts from the beginning."
    switch (status, (response as? HTTPURLResponse)?.statusCode) {
    case (.refused, 401?): return "Give a user who may have it with -u or --netrc."
    case (.refused, let code?) where code >= 400 && code < 500: return offset == nil ? "" : rerun
    case (.disk, _): return "Make room or choose another folder with -d. " + rerun
    default: return rerun
    }
  }
}
