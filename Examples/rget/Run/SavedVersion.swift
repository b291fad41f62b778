import Foundation

/// A note in an extended attribute of a finished file: which version of what it is. It counts as long as size and time
/// of the file are those of the note. The URL is not in it, since URLs hold secrets and attributes travel with files.
struct SavedVersion: Codable, Equatable, Sendable {
  static let attribute = "user.rget.version"

  /// `Entry.source` of what was fetched.
  var source: String
  var entityTag: String?
  var lastModified: String?
  var size: Int64 = 0
  var seconds: Int64 = 0
  var nanoseconds: Int64 = 0

  /// Without size and time, which it gets with the file.
  init(source: String, _ answer: AnsweredVersion) {
    (self.source, entityTag, lastModified) = (source, answer.entityTag, answer.lastModified)
  }

  /// The note of a file, current or not; nil if it has none that can be read.
  init?(of path: String) {
    guard let data = ExtendedAttribute.read(Self.attribute, of: path),
      // What cannot be read is somebody else's.
      let note = try? JSONDecoder().decode(Self.self, from: data)
    else { return nil }
    self = note
  }

  /// Whether the file is as it was when the note was written.
  func isCurrent(_ status: stat) -> Bool {
    size == Int64(status.st_size) && seconds == Int64(status.st_mtim.tv_sec)
      && nanoseconds == Int64(status.st_mtim.tv_nsec)
  }

  /// Writes the note. Where that is impossible the file goes without.
  func note(on path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    var note = self
    note.size = Int64(status.st_size)
    (note.seconds, note.nanoseconds) = (Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec))
    _ = ExtendedAttribute.write(CompactJSON.encode(note), as: Self.attribute, to: path)
  }

  /// Whether an answer is about this version, by the entity tag if both have one (weak comparison, RFC 9110, section
  /// 8.8.3.2), else by the date; nil if they have nothing in common.
  func agrees(with answer: AnsweredVersion) -> Bool? {
    if let ours = entityTag, let theirs = answer.entityTag { return Self.opaque(ours) == Self.opaque(theirs) }
    if let ours = lastModified, let theirs = answer.lastModified { return ours == theirs }
    return nil
  }

  private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}
