internal import Foundation

/// Why a session with an identifier makes no download of a request.
enum IdentifiedRefusal: Sendable, Equatable {
  case usedByAnotherProcess
  case usedByThisProcess
  case completionHandler
  /// The request or a part of it cannot be written down.
  case unrecordable(String)

  var code: URLError.Code {
    switch self {
    case .usedByAnotherProcess: .backgroundSessionInUseByAnotherProcess
    case .usedByThisProcess, .completionHandler: .resourceUnavailable
    case .unrecordable: .badURL
    }
  }

  /// One sentence for people.
  var sentence: String {
    switch self {
    case .usedByAnotherProcess: "Another process has a session with this identifier."
    case .usedByThisProcess: "This process has a session with this identifier already, which was not invalidated."
    case .completionHandler:
      "A session with an identifier reports to its delegate: completion handlers and async calls end with the process."
    case .unrecordable(let why): "The request cannot be recorded: \(why)"
    }
  }
}
