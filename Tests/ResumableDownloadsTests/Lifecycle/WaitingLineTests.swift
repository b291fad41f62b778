import Testing

@testable import ResumableDownloads

@Suite(.timeLimit(.minutes(1)))
struct WaitingLineTests {
  private var line = WaitingLine()

  private mutating func add(_ id: Int, priority: Float = 0.5, origin: String = "a") {
    line.add(WaitingLine.Entry(id: id, priority: priority, origin: origin, begin: {}))
  }

  /// The order in which those leave the line that may begin.
  private mutating func drain(full: Set<String> = [], blocked: Set<Int> = []) -> [Int] {
    var order: [Int] = []
    while let entry = line.next(hasRoom: { !full.contains($0.origin) }, isBlocked: { blocked.contains($0) }) {
      order.append(entry.id)
    }
    return order
  }

  @Test("Higher priorities go first, equal ones by arrival, across all origins")
  mutating func order() {
    for (id, priority) in [(1, 0.5), (2, 0.25), (3, 1), (4, 0.5), (5, 1)] as [(Int, Float)] {
      add(id, priority: priority, origin: id % 2 == 0 ? "a" : "b")
    }
    #expect(drain() == [3, 5, 1, 4, 2])
    #expect(drain() == [])
  }

  @Test("A full origin does not keep those of another one waiting")
  mutating func fullOrigin() {
    add(1, origin: "a")
    add(2, origin: "b")
    add(3, origin: "a")
    #expect(drain(full: ["a"]) == [2])
    #expect(drain() == [1, 3])
  }

  @Test("One that is blocked lets the others pass and comes back to its old place")
  mutating func blocked() {
    for id in 1...4 { add(id) }
    #expect(line.next(hasRoom: { _ in true }, isBlocked: { $0 < 3 })?.id == 3)
    line.unblock(2)
    line.unblock(1)
    line.unblock(1)
    line.unblock(3)
    #expect(drain() == [1, 2, 4])
  }

  @Test("One that is removed never begins, blocked or not")
  mutating func removed() {
    for id in 1...4 { add(id) }
    line.remove(2)
    #expect(drain(blocked: [3]) == [1, 4])
    line.remove(3)
    line.unblock(3)
    line.unblock(2)
    #expect(drain() == [])
  }

  @Test("Arrivals while others leave keep the order")
  mutating func interleaved() {
    var order: [Int] = []
    for id in 1...1000 {
      add(id, priority: id % 10 == 0 ? 1 : 0.5)
      guard id % 3 == 0 else { continue }
      if let entry = line.next(hasRoom: { _ in true }, isBlocked: { _ in false }) { order.append(entry.id) }
    }
    order += drain()
    #expect(order.sorted() == Array(1...1000))
    let (urgent, ordinary) = (order.filter { $0 % 10 == 0 }, order.filter { $0 % 10 != 0 })
    #expect(urgent == urgent.sorted() && ordinary == ordinary.sorted())
  }
}
