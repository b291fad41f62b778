import Foundation
import Synchronization

/// A well-behaved origin for one resource: ranges, validators, `HEAD`, and 416 as in RFC 9110.
///
/// Use its `answer(_:)` as the handler of a server. The resource can be replaced while the server runs.
public final class RangeResource: Sendable {
  /// One state of the resource.
  public struct Version: Sendable {
    /// The representation's bytes.
    public var content: Content
    /// `ETag` verbatim, with its quotes and `W/` if any; nil sends none.
    public var entityTag: String?
    /// `Last-Modified` verbatim; nil sends none.
    public var lastModified: String?
    /// Further fields, in order.
    public var fields: [Answer.Field]

    /// A version of a resource.
    public init(
      _ content: Content, entityTag: String? = "\"a1\"", lastModified: String? = "Mon, 01 Jan 2024 10:00:00 GMT",
      fields: [Answer.Field] = []
    ) {
      self.content = content
      self.entityTag = entityTag
      self.lastModified = lastModified
      self.fields = fields
    }
  }

  /// How one answer with a body breaks off.
  public struct Drop: Sendable {
    let bodyBytes: Int64
    let ending: Answer.Ending

    /// Ends the answer after that many bytes of its body.
    public static func dropAfter(_ bodyBytes: Int64, _ ending: Answer.Ending = .reset) -> Drop {
      Drop(bodyBytes: bodyBytes, ending: ending)
    }
  }

  private struct State: Sendable {
    var version: Version
    var drops: [Drop]
  }

  private let state: Mutex<State>
  private let bytesPerSecond: Int64?

  /// Makes a resource.
  ///
  /// - Parameters:
  ///   - version: What is served until `replace(with:)`.
  ///   - bytesPerSecond: The speed of each body; nil does not limit it.
  ///   - drops: How the first answers to `GET` break off, one after the other.
  public init(_ version: Version, bytesPerSecond: Int64? = nil, drops: [Drop] = []) {
    state = Mutex(State(version: version, drops: drops))
    self.bytesPerSecond = bytesPerSecond
  }

  /// What is served now.
  public var version: Version { state.withLock { $0.version } }

  /// Serves another version from the next request on.
  public func replace(with version: Version) { state.withLock { $0.version = version } }

  /// Makes the next answers to `GET` break off, after those that are already to do so.
  public func drop(_ drops: Drop...) { state.withLock { $0.drops += drops } }

  /// The answer to a request, whatever its target.
  @Sendable public func answer(_ request: ReceivedRequest) -> Answer {
    let version = version
    switch request.method {
    case "HEAD":
      return Answer([.send(Answer.head(200, nil, version.allFields + [("Content-Length", "\(version.content.count)")]))]
      )
    case "GET":
      let answer = body(request, version)
      guard let drop = nextDrop() else { return answer }
      return answer.cut(after: drop.bodyBytes, drop.ending)
    default:
      return .status(405, Data(), [("Allow", "GET, HEAD")])
    }
  }

  private func body(_ request: ReceivedRequest, _ version: Version) -> Answer {
    switch version.range(for: request) {
    case .whole: .ok(version.content, version.allFields, bytesPerSecond: bytesPerSecond)
    case .part(let range): .partial(of: version.content, range, version.allFields, bytesPerSecond: bytesPerSecond)
    case .unsatisfiable: .unsatisfiable(total: version.content.count, version.allFields)
    }
  }

  private func nextDrop() -> Drop? {
    state.withLock { $0.drops.isEmpty ? nil : $0.drops.removeFirst() }
  }
}
