internal import Foundation
internal import Glibc

/// Where the partial of one download lies, and what of it is there already. Confined to the loop's thread.
struct PartialPlace {
  typealias Found = (file: PartialFile, record: ResumeData)

  private let job: Shared<DownloadJob>
  private let environment: DownloadEnvironment
  private var directory: PartialDirectory?

  init(job: Shared<DownloadJob>, environment: DownloadEnvironment) {
    self.job = job
    self.environment = environment
  }

  /// The partial to continue, if there is one; throws when the download cannot begin at all.
  mutating func open() throws(DownloadFailure.Reason) -> Found? {
    switch job.source {
    case .unreadable(let error): throw .invalidResumeData(error.localizedDescription)
    case .refused(let reason): throw reason
    case .request, .resume:
      try checkDestination()
      do { return try find() } catch { throw .storage(error) }
    }
  }

  /// Told before anything is transferred: the final move would fail.
  private func checkDestination() throws(DownloadFailure.Reason) {
    guard let destination = job.destination else { return }
    // A link that leads nowhere is something, too.
    let present = FileStatus.of(destination.path)
    if destination.replacesExisting ? present?.isDirectory == true : present != nil {
      clearBeside(destination)
      throw .destinationExists(destination.path)
    }
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: destination.path, isDirectory: &isFolder), isFolder.boolValue {
      throw .storage(StorageError(operation: .move, code: EISDIR, path: destination.path))
    }
  }

  /// The partial that resume data, a destination or a record leads to, locked.
  mutating func find() throws(StorageError) -> Found? {
    if case .resume(let record, _) = job.source {
      directory = try environment.partials.directory()
      if let found = try directory?.open(for: record) { return found }
    }
    if let destination = job.destination {
      let url = URL(fileURLWithPath: destination.path)
      directory = try PartialDirectory(sharedPath: url.deletingLastPathComponent().path)
      // What a process has left that was killed while another version of the file began; nobody else uses that name.
      if let stale = try directory?.openUnclaimed(stem: freshStem) { stale.file.discard() }
    } else if job.partialStem != nil {
      directory = try environment.partials.directory()
    } else {
      return nil
    }
    guard let found = try directory?.openUnclaimed(stem: stem) else { return nil }
    if found.record.urlString == job.url { return found }
    found.file.discard()
    return nil
  }

  /// A new partial; beside an old one, which keeps its name until the new one stands, it gets another.
  mutating func create(besideOld: Bool) throws(StorageError) -> PartialFile {
    let known: PartialDirectory
    if let directory { known = directory } else { known = try environment.partials.directory() }
    directory = known
    let isNameNew = job.destination == nil && (besideOld || job.partialStem == nil)
    let stem = besideOld ? freshStem : stem
    let fresh: PartialFile
    do throws(StorageError) {
      fresh = try known.create(stem: stem, isNameNew: isNameNew)
    } catch {
      guard error.code == ENOENT, job.destination == nil else { throw error }
      // Somebody has removed the folder, as programs do that clear temporary folders away.
      let remade = try environment.partials.directory(insteadOf: known)
      directory = remade
      fresh = try remade.create(stem: stem, isNameNew: isNameNew)
    }
    if let destination = job.destination, !destination.replacesExisting, FileStatus.of(destination.path) != nil {
      // Another process finished the same file since `open()` looked; from here on the lock keeps others out.
      fresh.discard()
      throw StorageError(operation: .move, code: EEXIST, path: destination.path)
    }
    return fresh
  }

  /// Removes what a process has left that was killed when its file had just got its final name.
  private func clearBeside(_ destination: DownloadJob.Destination) {
    let folder = URL(fileURLWithPath: destination.path).deletingLastPathComponent().path
    // The file is there; whether the rest can be cleared away makes no difference to this download, nor to a later one:
    // a journal without its partial counts for nothing, and goes before a partial of that name begins.
    (try? PartialDirectory(sharedPath: folder))?.removeFinished(stem: stem)
  }

  /// Where the finished file goes by itself: to its destination, or, for a recorded task, to the name under which a
  /// later process finds it; `nil` for a file that only has to live until the delegate has it.
  func finalPlace() throws(StorageError) -> DownloadJob.Destination? {
    if let destination = job.destination { return destination }
    guard let stem = job.partialStem else { return nil }
    let path = try environment.partials.directory().path + "/" + Self.finishedName(stem)
    return DownloadJob.Destination(path: path, replacesExisting: true)
  }

  /// The name of the finished file of a recorded task without a destination.
  static func finishedName(_ partialStem: String) -> String { partialStem + ".tmp" }

  /// The name of the partial without its ending: hidden beside a destination, else as recorded, else a new UUID.
  private var stem: String {
    guard let destination = job.destination else { return job.partialStem ?? UUID.random().name }
    let name = URL(fileURLWithPath: destination.path).lastPathComponent
    return StagedName.stem(destinationName: name, url: job.url)
  }

  /// The same for a partial that is to replace the present one once it stands.
  private var freshStem: String {
    job.destination == nil ? UUID.random().name : stem + ".fresh"
  }
}
