import Foundation
import FoundationNetworking

/// Errors in words.
enum Failure {
  /// Why something failed, as a sentence without its full stop.
  static func sentence(_ error: any Error, response: URLResponse? = nil) -> String {
    if (error as? URLError)?.code == .badServerResponse, let response = response as? HTTPURLResponse,
      response.statusCode >= 400
    {
      return "the server answered with status \(response.statusCode)"
    }
    return trimmed(error.localizedDescription)
  }

  /// Without what Foundation puts before every reason, and without the full stop.
  private static func trimmed(_ text: String) -> String {
    let empty = "The operation could not be completed. "
    let reason = text.hasPrefix(empty) ? text.dropFirst(empty.count) : text[...]
    return String(reason.hasSuffix(".") ? reason.dropLast() : reason)
  }
}
