internal import Foundation
internal import Glibc

/// What a recorded task has on disk beyond the life of a process.
extension DownloadJob {
  /// What a new partial carries. A recorded task keeps the identity of its resume data when it starts over: by it a
  /// later process finds the partial that took the old one's place.
  var partialIdentity: UUID {
    if partialStem != nil, case .resume(let record, _) = source { return record.identity }
    return UUID.random()
  }

  /// The end by cancellation of a download that no driver runs.
  ///
  /// What an earlier process left of a recorded task is handed out or removed; other downloads have nothing on disk but
  /// what their resume data names, which stays as it is.
  func endIdle(_ environment: DownloadEnvironment, producingResumeData: Bool) -> DownloadFailure {
    var data: Data?
    if producingResumeData, case .resume(_, let original) = source { data = original }
    var place = PartialPlace(job: Shared(self), environment: environment)
    do throws(StorageError) {
      if partialStem != nil, let found = try place.find() {
        let store = PartialStore(environment: environment)
        store.adopt(found)
        if producingResumeData {
          data = store.close()?.encoded ?? data
        } else {
          store.discard()
        }
      }
    } catch {
      // Who gives a download up does not need what cannot be opened now; who pauses it has to know why nothing is left.
      if producingResumeData, data == nil, error.code != ENOENT {
        return DownloadFailure(reason: .storage(error), url: url)
      }
    }
    return DownloadFailure(reason: .cancelled, url: url, resumeData: data)
  }
}
