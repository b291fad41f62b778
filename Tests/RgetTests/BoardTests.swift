import Testing

@testable import rget

@Suite(.timeLimit(.minutes(1)))
struct BoardTests {
  @Test("The board counts what runs, what is done and what failed")
  func board() {
    var board = Board(count: 3)
    board.begin(0, name: "a", at: 0)
    board.begin(1, name: "b", at: 0)
    board.update(0, received: 100, total: 200, at: 1)
    board.resume(1, received: 1000, at: 1)
    board.update(1, received: 1100, total: 2000, at: 2)
    board.update(0, received: 200, total: 200, at: 3)
    var table = board.table(at: 3)
    #expect(table.rows.map(\.name) == ["a", "b"])
    #expect(table.rows.map(\.received) == [200, 1100])
    #expect(table.summary == .init(finished: 0, failed: 0, count: 3, received: 1300, total: nil, speed: 100))
    board.end(0, .saved(path: "a", bytes: 200))
    board.begin(2, name: "c", at: 3)
    board.update(2, received: 10, total: 20, at: 4)
    #expect(board.table(at: 4).summary?.total == 2220)
    board.end(2, .failed(Failure(.network, "x")))
    #expect(board.takeSilent(at: 4) == [])
    #expect(board.takeSilent(at: 9) == ["b"])
    #expect(board.takeSilent(at: 10) == [])
    table = board.table(at: 9)
    #expect(table.summary?.finished == 1)
    #expect(table.summary?.failed == 1)
    #expect(table.rows.map(\.note) == ["waiting for 0:07"])
    board.end(1, .stopped(offset: 1100))
    #expect(board.table(at: 9).summary?.failed == 1)
    #expect(board.isIdle)
  }

  @Test("A low window shows as many lines as fit")
  func low() {
    var board = Board(count: 9)
    for number in 0..<9 { board.begin(number, name: "f\(number)", at: 0) }
    let table = board.table(at: 0, rows: 4)
    #expect(table.rows.map(\.name) == ["f0", "f1", "f2"])
    #expect(table.hidden == 6)
    #expect(table.lines(width: 80).last == "0 of 9 done, 6 more running, 0 B")
    #expect(board.table(at: 0, rows: 0).rows.count == 1)
  }

  @Test("One download needs no summary")
  func single() {
    var board = Board(count: 1)
    board.begin(0, name: "a", at: 0)
    #expect(board.table(at: 0).summary == nil)
    board.note(0, "checking")
    #expect(board.table(at: 60).rows.map(\.note) == ["checking"])
  }
}
