import Foundation
import FoundationNetworking
import ResumableDownloads

/// What this program does when the benchmark starts it once more as a client; travels as JSON in its arguments.
struct ClientOrder: Codable, Sendable {
  let peer: Peer
  let base: String
  let count: Int
  let parallel: Int
  /// How many tasks there are at a time, running or not.
  let tasks: Int
  /// The folder for the finished files, which are named by their number.
  let output: String
  let partials: String
  let pauses: Int
  let idleSeconds: Double

  /// Runs the order and prints what it counted as JSON.
  static func run(_ text: String) async throws {
    let order = try JSONDecoder().decode(ClientOrder.self, from: Data(text.utf8))
    let values: [String: Double]
    switch order.peer {
    case .floor: values = try FloorClient(order: order).run()
    case .pausing: values = try await PausingClient(order).run()
    case .resumed: values = try await ResumedClient(order: order).run()
    case .idling: values = try await IdlingClient(order: order).run()
    default: values = try await FilesClient(order).run()
    }
    FileHandle.standardOutput.write(try JSONEncoder().encode(values))
  }

  func url(_ number: Int) throws -> URL {
    guard let url = URL(string: "\(base)/\(number)") else { throw BenchmarkError.client("no URL: \(base)") }
    return url
  }

  var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.default
    configuration.httpMaximumConnectionsPerHost = parallel
    configuration.partialsDirectory = URL(fileURLWithPath: partials, isDirectory: true)
    return configuration
  }

  /// A session of the library, or of FoundationNetworking.
  func session(_ delegate: any URLSessionDownloadDelegate, _ queue: OperationQueue) -> URLSession {
    if peer == .foundation {
      return URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }
    return DownloadSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
  }
}
