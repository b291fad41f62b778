internal import Foundation
internal import Glibc

/// The attributes of a file that decide whether we touch it.
struct FileStatus: Sendable, Equatable {
  let device: UInt64
  let inode: UInt64
  let size: Int64
  let mode: mode_t
  let owner: uid_t
  let links: UInt64
  let modified: Date
  /// Seconds and nanoseconds of the last change, to tell a reused inode.
  let changed: Moment

  struct Moment: Sendable, Equatable {
    let seconds: Int
    let nanoseconds: Int
  }

  init(_ raw: stat) {
    device = UInt64(raw.st_dev)
    inode = UInt64(raw.st_ino)
    size = Int64(raw.st_size)
    mode = raw.st_mode
    owner = raw.st_uid
    links = UInt64(raw.st_nlink)
    let time = raw.st_mtim
    modified = Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000)
    changed = Moment(seconds: raw.st_ctim.tv_sec, nanoseconds: raw.st_ctim.tv_nsec)
  }

  /// The status of a name itself, not of what a link points to; nil with `errno` set.
  static func of(_ name: String, in directory: Int32 = AT_FDCWD) -> FileStatus? {
    var raw = stat()
    return fstatat(directory, name, &raw, AT_SYMLINK_NOFOLLOW) == 0 ? FileStatus(raw) : nil
  }

  var isRegularFile: Bool { mode & S_IFMT == S_IFREG }

  /// A regular file that belongs to us.
  var isOurFile: Bool { isRegularFile && owner == geteuid() }

  /// A regular file that belongs to us and has no second name.
  var isOurSingleFile: Bool { isOurFile && links == 1 }

  /// A directory that only we can use.
  var isPrivateDirectory: Bool { isDirectory && owner == geteuid() && mode & 0o077 == 0 }

  var isDirectory: Bool { mode & S_IFMT == S_IFDIR }

  /// Whether both are the same file.
  func isSameFile(as other: FileStatus?) -> Bool {
    device == other?.device && inode == other?.inode
  }
}

/// A download that has its final name, remembered so that nothing else is removed in its place.
struct FinishedFile: Sendable {
  let path: String
  let device: UInt64
  let inode: UInt64

  var url: URL { URL(fileURLWithPath: path, isDirectory: false) }

  init(path: String, status: FileStatus) {
    self.path = path
    device = status.device
    inode = status.inode
  }

  func isSameFile(as now: FileStatus) -> Bool { now.device == device && now.inode == inode }

  /// Removes the file unless somebody has put another one there.
  func removeIfUnchanged() {
    guard let now = FileStatus.of(path), isSameFile(as: now) else { return }
    _ = unlink(path)
  }
}
