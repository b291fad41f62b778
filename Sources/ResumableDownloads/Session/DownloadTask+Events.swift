public import Foundation

extension DownloadTask {
  /// One thing that happened to a download, as `events` reports it.
  public enum Event: Sendable, Equatable {
    /// The download goes on at a byte of the file, 0 if it had to start over; once, before any progress. Only for tasks
    /// that continue something (Apple: `didResumeAtOffset`).
    case resumed(offset: Int64, expected: Int64)
    /// Bytes of the file that are there, and of the whole file, `NSURLSessionTransferSizeUnknown` when that is unknown.
    ///
    /// `written` goes back when the server has another version of the file and the download starts over.
    case progress(written: Int64, expected: Int64)
    /// The file is complete; always the last event.
    case finished(URL)
  }

  /// What happens to this task, beside whatever its delegate or its completion handler hears.
  ///
  /// ```swift
  /// task.resume()
  /// for try await event in task.events {
  ///   switch event {
  ///   case .resumed(let offset, _): print("going on at", offset)
  ///   case .progress(let written, let expected): print(written, "of", expected)
  ///   case .finished(let file): try FileManager.default.moveItem(at: file, to: place)
  ///   }
  /// }
  /// ```
  ///
  /// **Order**: `resumed` if there is one, `progress` any number of times, `finished`; then the iteration ends. When
  /// the task fails it throws the task's `URLError`, resume data included.
  ///
  /// **Readers**: Any number, each hearing everything that still matters: reading late, even after the end, gives the
  /// present progress and the end. Progress that nobody has read yet is replaced by newer progress, so a slow reader
  /// costs no memory and never slows the download down. Cancelling a reader's Swift task ends its iteration without
  /// `finished` and leaves the download alone.
  ///
  /// **The file** belongs to whoever reads `finished`, and has to be moved or removed; a delegate or a completion
  /// handler sees it first and may have moved it. It is kept for readers that exist when a delegate or handler returns
  /// from being given it. Without such a delegate it is kept as long as the task, so that reading late is safe. Several
  /// readers are given the same file. Nothing of this concerns downloads to a destination, whose file is there, or the
  /// async functions, whose caller owns the file.
  public var events: Events { Events(board: board) }

  /// The events of one task; see `DownloadTask.events`. It does not keep the task.
  public struct Events: AsyncSequence, Sendable {
    public typealias Element = Event
    public typealias Failure = URLError

    let board: EventBoard

    /// A reader that starts at the beginning.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(board: board) }

    /// One reader of the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private let reader: EventBoard.Reader
      private var place = EventBoard.Place()

      init(board: EventBoard) { reader = EventBoard.Reader(board) }

      /// The next event; `nil` after `finished` and when the Swift task was cancelled.
      ///
      /// - Throws: The task's `URLError`, once.
      public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(URLError) -> Event? {
        while true {
          switch reader.board.read(&place) {
          case .event(let event): return event
          case .end: return nil
          case .failure(let error): throw error
          case .nothingNew(let change):
            if Task.isCancelled { return nil }
            await reader.board.waitForChange(after: change)
          }
        }
      }

      /// As `next(isolation:)`.
      public mutating func next() async throws(URLError) -> Event? { try await next(isolation: nil) }
    }
  }
}
