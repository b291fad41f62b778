internal import Foundation
internal import Synchronization

/// Hears what happens to one download; all calls come on the loop's thread, in this order: `didReceive`* → `didResume`?
/// → (`didProgress` | `didRestart` → `didResume`)* → `willMove`? → `didFinish`? → `didEnd`, the last exactly once.
/// Progress that was due may also come between `willMove` and `didFinish`.
///
/// It also holds what may change on the way. The loop reads that when a download is added or begins and whenever it is
/// told of a change, so what overtakes the start of its download is not lost, nor is the order of two changes.
protocol DownloadObserver: AnyObject, Sendable {
  var counters: DownloadCounters { get }
  /// Whether the download may do nothing for the time being.
  var isSuspended: Bool { get }
  /// A limit of this download's own; zero means none.
  var bytesPerSecondLimit: Int64 { get }
  /// A download with a begin date may begin; `answer` is called once, from any thread. Comes before all others.
  func willBegin(answer: @escaping @Sendable (DelayedStart) -> Void)
  /// A final head arrived; the request that got it had these fields.
  func didReceive(_ head: ResponseHead, requestFields: [HeaderField])
  /// The download goes on at `offset` (0: it starts over) of a whole of `expected` bytes (-1: unknown).
  func didResume(at offset: Int64, expected: Int64)
  /// The bytes after `offset` are void: the counters are about to go back to it.
  func didRestart(at offset: Int64)
  /// The counters have moved.
  func didProgress()
  /// The network is missing and is waited for; at most once.
  func didWaitForConnectivity()
  /// What the session has to decide; `answer` is called once, from any thread.
  func decide(_ question: DownloadQuestion, answer: @escaping @Sendable (DownloadQuestion.Answer) -> Void)
  /// An exchange is over.
  func didExchange(_ record: ExchangeRecord)
  /// The whole file is there and is about to get its final name on the sync queue.
  func willMove(_ file: FileStatus)
  func didFinish(_ file: FinishedFile)
  func didEnd(_ failure: DownloadFailure?)
}

/// Byte counts that the loop writes and everybody reads, without a lock in the byte path.
final class DownloadCounters: Sendable {
  /// Bytes of the file that are there, the resumed part included.
  let written = Atomic<Int64>(0)
  /// Bytes of the whole file, -1 when unknown.
  let expected = Atomic<Int64>(-1)
}
