internal import Foundation

/// What becomes of a task that an ended process left.
enum Restoration: Sendable {
  /// The file is whole, and the delegate may not have been given it.
  case finished(FinishedFile, size: Int64)
  /// The delegate has the file and may not have been told of the end.
  case handedOver
  /// It was cancelled, and the delegate has not been told.
  case cancelled(producingResumeData: Bool)
  case running
  case suspended

  /// Looks at the record and at what is on disk.
  init(of record: TaskRecord, in directory: PartialDirectory) {
    if let (file, size) = Self.finishedFile(of: record, in: directory) {
      self = .finished(file, size: size)
    } else if record.isHandedOver {
      self = .handedOver
    } else {
      self =
        switch record.state {
        case .cancelled: .cancelled(producingResumeData: false)
        case .paused: .cancelled(producingResumeData: true)
        case .running: .running
        case .suspended: .suspended
        }
    }
  }

  /// The whole file, if it has its final name. The journal that a kill left between the two steps of a move goes.
  private static func finishedFile(
    of record: TaskRecord, in directory: PartialDirectory
  ) -> (FinishedFile, Int64)? {
    guard let destination = record.destination else {
      let name = PartialPlace.finishedName(record.partialStem)
      guard let status = FileStatus.of(name, in: directory.descriptor.number), status.isOurFile else { return nil }
      directory.removeFinished(stem: record.partialStem)
      return (FinishedFile(path: directory.path + "/" + name, status: status), status.size)
    }
    guard let status = FileStatus.of(destination.path), let finished = record.finished,
      finished == TaskRecord.FinishedFile(status)
    else { return nil }
    let place = URL(fileURLWithPath: destination.path)
    let stem = StagedName.stem(destinationName: place.lastPathComponent, url: record.request.url)
    // As beside any file that has its name: a journal without its partial counts for nothing.
    let folder = try? PartialDirectory(sharedPath: place.deletingLastPathComponent().path)
    folder?.removeFinished(stem: stem)
    return (FinishedFile(path: destination.path, status: status), status.size)
  }
}

extension TaskRecord.FinishedFile {
  /// Takes down a whole file before it is moved.
  init(_ status: FileStatus) {
    self.init(inode: status.inode, size: status.size, modified: status.modified.timeIntervalSince1970)
  }
}
