/// Something that has to be on the disk before a download goes on, which waits for it meanwhile.
///
/// Confined to the loop's thread, but for the work.
struct DiskStep {
  /// Done on the order queue.
  let work: DiskWork
  /// Takes in what came of it.
  let took: (StorageError?) -> Void

  init(work: @escaping DiskWork, took: @escaping (StorageError?) -> Void = { _ in }) {
    self.work = work
    self.took = took
  }

  /// Does the work; the error, if it fails.
  static func failure(of work: DiskWork) -> StorageError? {
    do throws(StorageError) {
      try work()
      return nil
    } catch {
      return error
    }
  }
}
