import Foundation

/// A complete file that is there already, and whether it is the one that the server has.
struct ExistingFile: Equatable, Sendable {
  enum Verdict: Equatable, Sendable {
    case same
    case different
    /// It is no longer what an earlier run has saved.
    case changed
    /// The server does not tell enough.
    case unknown
  }

  /// What an earlier run has noted on the file.
  enum Note: Equatable, Sendable {
    /// It is from elsewhere, or the file system has no attributes.
    case none
    /// The file has changed since.
    case outdated
    case current(SavedVersion)
  }

  /// Nil for what is no regular file.
  var size: Int64?
  var modified: Date
  var note: Note
  var isFolder = false

  init(size: Int64?, modified: Date, note: Note = .none) {
    (self.size, self.modified, self.note) = (size, modified, note)
  }

  /// Nil if there is nothing at that path.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      // A link that leads nowhere is something, too.
      guard lstat(path, &status) == 0 else { return nil }
      self.init(size: nil, modified: .distantPast)
      return
    }
    let isFile = status.st_mode & S_IFMT == S_IFREG
    let note = isFile ? SavedVersion(of: path) : nil
    self.init(
      size: isFile ? Int64(status.st_size) : nil, modified: Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec)),
      note: note.map { $0.isCurrent(status) ? .current($0) : .outdated } ?? .none)
    isFolder = status.st_mode & S_IFMT == S_IFDIR
  }

  /// Compares length and validator. A file without a note has only its time to compare: it must have the right length
  /// and be no older than what the server has.
  func verdict(_ answer: AnsweredVersion) -> Verdict {
    guard let size else { return .different }
    if let length = answer.length, length != size { return .different }
    switch note {
    case .outdated: return .changed
    case .current(let saved):
      if let agrees = saved.agrees(with: answer) { return agrees ? .same : .different }
      // The server has no validators, so there is nothing else that it could say.
      if answer.entityTag == nil, answer.lastModified == nil, answer.length != nil { return .same }
    case .none: break
    }
    guard let date = HTTPTime.date(answer.lastModified) else { return .unknown }
    guard date <= modified else { return .different }
    return answer.length == nil ? .unknown : .same
  }
}
