internal import FoundationNetworking

/// The answer that an error carries; keeps its header fields, which may hold secrets, out of what a printed error
/// shows.
struct AttachedResponse: Sendable, CustomStringConvertible {
  let response: HTTPURLResponse

  var description: String { "status \(response.statusCode)" }
}
