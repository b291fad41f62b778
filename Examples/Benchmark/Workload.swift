/// What is measured. The raw values are the names on the command line and in the JSON file.
enum Workload: String, Codable, CaseIterable, Sendable {
  case single
  case tls
  case medium
  case small
  case sparse
  case pauses
  case slow
  case queued
  case idle

  /// The letter by which the targets name it, also accepted on the command line.
  var letter: String {
    switch self {
    case .single: "a"
    case .tls: "b"
    case .medium: "c"
    case .small: "d"
    case .sparse: "e"
    case .pauses: "f"
    case .slow: "g"
    case .queued: "h"
    case .idle: "i"
    }
  }

  init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.rawValue == name || $0.letter == name }) else { return nil }
    self = found
  }

  /// Who takes part. The first one is what the ratios are about.
  var peers: [Peer] {
    switch self {
    case .single: [.library, .curl, .wget, .aria2c, .aria2c4, .foundation, .floor]
    case .tls: [.library, .curl, .wget, .aria2c, .aria2c4, .foundation]
    case .medium, .small: [.library, .curl, .wget, .aria2c, .foundation]
    case .sparse: [.resumed, .library]
    case .pauses: [.pausing]
    case .slow: [.slowDelegate, .library]
    case .queued: [.library, .foundation]
    case .idle: [.idling]
    }
  }

  /// The folder of the served files: file `n` of a workload has the path `folder/n`.
  var servedFolder: String {
    switch self {
    case .single, .tls, .slow, .pauses: "large"
    case .medium: "medium"
    case .small, .queued, .idle: "small"
    case .sparse: "sparse"
    }
  }

  /// Downloads that run at the same time.
  var parallel: Int {
    switch self {
    case .medium, .small: 64
    case .queued: 16
    default: 1
    }
  }

  /// How many tasks a client of ours has at a time; nil for as many as there are files.
  var tasks: Int? {
    switch self {
    case .medium, .small: 2 * parallel
    default: nil
    }
  }

  /// One line for people, with the sizes at that scale.
  func title(_ sizes: Sizes) -> String {
    switch self {
    case .single: "one file of \(Unit.bytes(sizes.largeBytes)), plain HTTP"
    case .tls: "one file of \(Unit.bytes(sizes.largeBytes)), TLS 1.3"
    case .medium:
      "\(sizes.mediumCount) files of \(Unit.bytes(Sizes.mediumBytes)), \(parallel) at a time"
    case .small: "\(sizes.smallCount) files of \(Unit.bytes(Sizes.smallBytes)), \(parallel) at a time"
    case .sparse:
      "a sparse partial of \(Unit.bytes(sizes.sparseBytes)) with \(Unit.bytes(Sizes.missingBytes)) missing"
    case .pauses: "\(sizes.pauses) times pause and continue of one throttled download"
    case .slow: "one file of \(Unit.bytes(sizes.largeBytes)), a delegate that takes 10 ms per callback"
    case .queued: "\(sizes.queuedCount) tasks created, \(parallel) running"
    case .idle: "a session without running tasks"
    }
  }
}
