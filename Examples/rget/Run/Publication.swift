import Foundation

/// The last steps: a whole file gets its time and its note, and its name once its content is right.
enum Publication {
  enum Result: Equatable, Sendable {
    case published
    /// There is a file of that name, which was left alone.
    case nameTaken
  }

  /// `UTIME_OMIT` of utimensat(2), a macro that Swift does not import.
  private static let omitted = (1 << 30) - 2

  /// Gives the staged file the time of the server's, unless that is nil, and notes which version it is, so that a later
  /// run knows, even if this one ends before the file is checked.
  static func prepare(_ staged: String, modified: Date?, version: SavedVersion) {
    if let modified {
      var times = [timespec(tv_sec: 0, tv_nsec: omitted), timespec()]
      times[1].tv_sec = time_t(modified.timeIntervalSince1970)
      // A wrong time is no reason to withhold a right file.
      _ = utimensat(AT_FDCWD, staged, times, 0)
    }
    // After the time, which is part of the note.
    version.note(on: staged)
  }

  /// Gives the staged file its final name in one step, which then also survives a power cut.
  ///
  /// - Throws: `Failure` if the file system does not let it.
  static func publish(_ staged: String, as path: String, replacing: Bool) throws(Failure) -> Result {
    if replacing { return try move(staged, to: path) }
    // link(2) never replaces a file, rename(2) would.
    if link(staged, path) == 0 {
      // Before the other name goes, or a power cut could take both.
      syncFolder(of: path)
      _ = unlink(staged)
      return .published
    }
    let code = errno
    if code == EEXIST || access(path, F_OK) == 0 { return .nameTaken }
    guard hasNoHardLinks(code) else { throw failure(path, code) }
    return try move(staged, to: path)
  }

  private static func move(_ staged: String, to path: String) throws(Failure) -> Result {
    guard rename(staged, path) == 0 else { throw failure(path, errno) }
    syncFolder(of: path)
    return .published
  }

  /// Whether link(2) fails like that on a file system that can only rename.
  private static func hasNoHardLinks(_ code: Int32) -> Bool { [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(code) }

  /// Some file systems cannot; then the name is as safe as it can be.
  private static func syncFolder(of path: String) {
    let folder = open(PathText.folder(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    _ = fsync(folder)
    close(folder)
  }

  private static func failure(_ path: String, _ code: Int32) -> Failure {
    .system("give the file its name \(path)", code: code, advice: "The same command tries it again.")
  }
}
