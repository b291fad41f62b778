import Foundation
import FoundationNetworking

/// Errors in words.
enum Failure {
  /// Why something failed, as a sentence without its full stop.
  static func sentence(_ error: any Error, response: URLResponse? = nil) -> String {
    if let response = response as? HTTPURLResponse, response.statusCode >= 400 {
      return "the server answered with status \(response.statusCode)"
    }
    guard let error = error as? URLError else { return trimmed(error.localizedDescription) }
    switch error.code {
    case .cannotFindHost, .dnsLookupFailed: return "the host was not found"
    case .cannotConnectToHost: return "no connection to the host"
    case .timedOut: return "the server did not answer in time"
    case .networkConnectionLost: return "the connection was lost"
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
      return "no secure connection to the host (\(trimmed(error.localizedDescription)))"
    case .httpTooManyRedirects: return "the server redirects without end"
    default: return trimmed(error.localizedDescription)
    }
  }

  /// Without what Foundation puts before every reason, and without the full stop.
  private static func trimmed(_ text: String) -> String {
    let empty = "The operation could not be completed. "
    let reason = text.hasPrefix(empty) ? text.dropFirst(empty.count) : text[...]
    return String(reason.hasSuffix(".") ? reason.dropLast() : reason)
  }
}
