/// A program that takes part, in one of the ways in which it does.
enum Peer: String, Codable, Sendable {
  case library
  case slowDelegate
  case resumed
  case pausing
  case idling
  case curl
  case wget
  case aria2c
  case aria2c4
  case foundation
  case floor

  /// The name in tables.
  var title: String {
    switch self {
    case .library: "ResumableDownloads"
    case .slowDelegate: "ResumableDownloads, slow delegate"
    case .resumed: "ResumableDownloads, resumed"
    case .pausing: "ResumableDownloads, pausing"
    case .idling: "ResumableDownloads, idle"
    case .curl: "curl"
    case .wget: "wget"
    case .aria2c: "aria2c, 1 connection a file"
    case .aria2c4: "aria2c, 4 connections"
    case .foundation: "FoundationNetworking"
    case .floor: "floor: one socket"
    }
  }

  /// The program to be found on `PATH`; nil for what this program does itself.
  var program: String? {
    switch self {
    case .curl: "curl"
    case .wget: "wget"
    case .aria2c, .aria2c4: "aria2c"
    default: nil
    }
  }

  /// Whether it is this library.
  var isOurs: Bool {
    switch self {
    case .library, .slowDelegate, .resumed, .pausing, .idling: true
    default: false
    }
  }
}
