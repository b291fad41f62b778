internal import Foundation
internal import FoundationNetworking

/// The one place that turns a failure into the `URLError` that callers see.
enum ErrorTable {
  /// The key of resume data in `userInfo`: on Apple's systems the constant's value is its name.
  static let resumeDataKey = "NSURLSessionDownloadTaskResumeData"

  /// The key of the answer in `userInfo`; Apple has none.
  static let responseKey = "ResumableDownloadsResponse"

  /// Apple's key of the address as text; FoundationNetworking marks its constant as deprecated.
  private static let failingURLStringKey = "NSErrorFailingURLStringKey"

  static func urlError(for failure: DownloadFailure, response: HTTPURLResponse? = nil) -> URLError {
    let (code, text) = describe(failure.reason)
    var info: [String: Any] = [NSLocalizedDescriptionKey: text]
    if let url = URL(string: failure.url) { info[NSURLErrorFailingURLErrorKey] = url }
    info[failingURLStringKey] = failure.url
    if let underlying = underlying(failure.reason) { info[NSUnderlyingErrorKey] = underlying }
    if let data = failure.resumeData { info[resumeDataKey] = data }
    if let response { info[responseKey] = AttachedResponse(response: response) }
    return URLError(code, userInfo: info)
  }

  /// The code and one sentence for people.
  private static func describe(_ reason: DownloadFailure.Reason) -> (URLError.Code, String) {
    switch reason {
    case .cancelled: (.cancelled, "cancelled")
    case .unsupportedScheme: (.unsupportedURL, "Only http and https addresses can be downloaded.")
    case .malformedURL: (.badURL, "The address is malformed.")
    case .invalidResumeData(let why): (.unsupportedURL, "The resume data cannot be used: \(why)")
    case .sessionInvalid: (.cancelled, "The task was created in a session that has been invalidated.")
    case .timedOut: (.timedOut, "The download took longer than its time limit.")
    case .cutShort: (.networkConnectionLost, "The connection ended before the whole file had arrived.")
    case .badAnswer(let status): (.badServerResponse, "The server's answer (status \(status)) cannot be used.")
    case .tooManyRedirects: (.httpTooManyRedirects, "The server redirected too many times.")
    case .badRedirect: (.unsupportedURL, "The server redirected to an address that cannot be downloaded.")
    case .destinationExists(let path): (.cannotMoveFile, "There is something at \(path) already.")
    case .identified(let refusal): (refusal.code, refusal.sentence)
    case .transfer(let error): (code(of: error), sentence(for: error))
    case .storage(let error): storage(error)
    }
  }

  private static func storage(_ error: StorageError) -> (URLError.Code, String) {
    let system = String(cString: strerror(error.code))
    return switch error.operation {
    case .create: (.cannotCreateFile, "Cannot create \(error.path): \(system).")
    case .open: (.cannotOpenFile, "Cannot open \(error.path): \(system).")
    case .write: (.cannotWriteToFile, "Cannot write \(error.path): \(system).")
    case .confirm:
      (.cannotMoveFile, "The file is at \(error.path), but its name may not survive a power cut: \(system).")
    case .move: (.cannotMoveFile, "Cannot move the file to \(error.path): \(system).")
    case .remove: (.cannotRemoveFile, "Cannot remove \(error.path): \(system).")
    case .inUse: (.cannotOpenFile, "Another download is writing \(error.path).")
    case .notOurs: (.cannotOpenFile, "\(error.path) is not a private file of this user's downloads.")
    }
  }

  private static func underlying(_ reason: DownloadFailure.Reason) -> NSError? {
    let (code, path): (Int32, String?) =
      switch reason {
      case .storage(let error): (error.code, error.path)
      case .transfer(let error): (error.systemError, nil)
      default: (0, nil)
      }
    guard code != 0 else { return nil }
    return NSError(domain: NSPOSIXErrorDomain, code: Int(code), userInfo: path.map { [NSFilePathErrorKey: $0] })
  }

  private static func sentence(for error: TransferError) -> String {
    switch error.cause {
    case .offline: "There is no connection to the network."
    case .inactive: "The server sent nothing for too long."
    case .malformedHead: "The server's answer is not valid HTTP."
    case .malformedURL: "The address is malformed."
    case .stoppedByReceiver: "The download was stopped."
    case .curl: error.message.isEmpty ? "The connection failed." : error.message
    }
  }

  private static func code(of error: TransferError) -> URLError.Code {
    switch error.cause {
    case .offline: .notConnectedToInternet
    case .inactive: .timedOut
    case .malformedHead: .badServerResponse
    case .malformedURL: .badURL
    case .stoppedByReceiver: .cancelled
    case .curl(let code): curl[code] ?? .networkConnectionLost
    }
  }

  /// libcurl-errors(3) by number. Schemes are looked at before, so 1 means an answer that is not HTTP. What is missing
  /// ended the connection in some way: `networkConnectionLost`.
  static let curl: [UInt32: URLError.Code] = [
    1: .badServerResponse, 3: .badURL, 5: .cannotFindHost, 6: .cannotFindHost, 7: .cannotConnectToHost,
    8: .badServerResponse, 18: .networkConnectionLost, 22: .badServerResponse, 27: .unknown, 28: .timedOut,
    35: .secureConnectionFailed, 47: .httpTooManyRedirects, 51: .serverCertificateUntrusted,
    52: .networkConnectionLost, 55: .networkConnectionLost, 56: .networkConnectionLost,
    58: .clientCertificateRejected, 59: .secureConnectionFailed, 60: .serverCertificateUntrusted,
    61: .cannotDecodeContentData, 63: .dataLengthExceedsMaximum, 64: .secureConnectionFailed,
    77: .secureConnectionFailed, 80: .secureConnectionFailed, 83: .serverCertificateUntrusted,
    90: .serverCertificateUntrusted, 91: .serverCertificateUntrusted, 92: .networkConnectionLost,
    97: .cannotConnectToHost, 98: .clientCertificateRequired,
  ]
}
