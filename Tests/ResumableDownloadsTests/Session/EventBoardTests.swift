import Foundation
import Testing

@testable import ResumableDownloads

@Suite(.timeLimit(.minutes(1))) struct EventBoardTests {
  private let url = URL(fileURLWithPath: "/file")

  /// What a reader gets from here on without waiting.
  private func read(_ board: EventBoard, _ place: inout EventBoard.Place) -> [DownloadTask.Event] {
    var events: [DownloadTask.Event] = []
    while case .event(let event) = board.read(&place) { events.append(event) }
    return events
  }

  @Test("A thousand reports that nobody has read are one")
  func merged() {
    let board = EventBoard()
    var place = EventBoard.Place()
    board.postResume(at: 5, expected: 1_000)
    for count in 6...1_000 { board.postProgress(written: Int64(count), expected: 1_000) }
    #expect(read(board, &place) == [.resumed(offset: 5, expected: 1_000), .progress(written: 1_000, expected: 1_000)])
    board.postProgress(written: 1_000, expected: 1_000)
    #expect(read(board, &place) == [])
  }

  @Test("Nothing new is told after the place where a download goes on")
  func resumedOnly() {
    let board = EventBoard()
    var place = EventBoard.Place()
    board.postResume(at: 7, expected: 9)
    board.postProgress(written: 7, expected: 9)
    #expect(read(board, &place) == [.resumed(offset: 7, expected: 9)])
  }

  @Test("Only the first end counts, and is told once to each reader")
  func end() throws {
    let board = EventBoard()
    var (first, second) = (EventBoard.Place(), EventBoard.Place())
    let file = FinishedFile(path: url.path, status: try #require(FileStatus.of("/")))
    board.postEnd(.success(file))
    board.postEnd(.failure(URLError(.cancelled)))
    #expect(read(board, &first) == [.finished(url)])
    #expect(read(board, &first) == [])
    guard case .end = board.read(&first) else {
      Issue.record("no end")
      return
    }
    #expect(read(board, &second) == [.finished(url)])
  }

  @Test("Every waiting reader wakes at a change and at its cancellation")
  func waking() async {
    let board = EventBoard()
    var place = EventBoard.Place()
    guard case .nothingNew(let seen) = board.read(&place) else {
      Issue.record("something new")
      return
    }
    let readers = (0..<10).map { _ in Task { await board.waitForChange(after: seen) } }
    for reader in readers.prefix(5) { reader.cancel() }
    for reader in readers.prefix(5) { await reader.value }
    board.postProgress(written: 1, expected: 2)
    for reader in readers { await reader.value }
    await board.waitForChange(after: seen)
  }
}
