/// Downloads that wait for a free connection: a line for each origin, by priority and then by order of arrival.
///
/// Adding one and taking the next costs the same however many wait; thousands may. Confined to the loop's thread.
struct WaitingLine {
  struct Entry {
    var id: Int
    var priority: Float
    var origin: String
    var begin: () -> Void
  }

  /// A place in a line; the entry may have gone since.
  private struct Place {
    var priority: Float
    var arrival: Int
    var id: Int

    func isBefore(_ other: Place) -> Bool {
      priority == other.priority ? arrival < other.arrival : priority > other.priority
    }
  }

  /// Sorted places; those before `first` have been taken.
  private struct Line {
    var places: [Place] = []
    var first = 0

    var head: Place? { first < places.count ? places[first] : nil }

    mutating func insert(_ place: Place) {
      var (low, high) = (first, places.count)
      // Most arrive with the same priority, so the end comes first.
      if let last = places.last, last.isBefore(place) { low = high }
      while low < high {
        let middle = (low + high) / 2
        if places[middle].isBefore(place) { low = middle + 1 } else { high = middle }
      }
      places.insert(place, at: low)
    }

    mutating func removeHead() {
      first += 1
      guard first > places.count / 2 else { return }
      places.removeFirst(first)
      first = 0
    }
  }

  private var entries: [Int: (entry: Entry, place: Place)] = [:]
  private var lines: [String: Line] = [:]
  /// Those that came to the head while they were not allowed to begin.
  private var aside: Set<Int> = []
  private var arrivals = 0

  mutating func add(_ entry: Entry) {
    arrivals += 1
    let place = Place(priority: entry.priority, arrival: arrivals, id: entry.id)
    entries[entry.id] = (entry, place)
    lines[entry.origin, default: Line()].insert(place)
  }

  mutating func remove(_ id: Int) {
    entries[id] = nil
    aside.remove(id)
  }

  /// Takes the first one out that may begin: one that is not blocked, at the head of a line whose origin has room.
  mutating func next(hasRoom: (Entry) -> Bool, isBlocked: (Int) -> Bool) -> Entry? {
    var best: (entry: Entry, place: Place)?
    for origin in lines.keys {
      guard let found = head(of: origin, isBlocked), hasRoom(found.entry) else { continue }
      if best.map({ found.place.isBefore($0.place) }) ?? true { best = found }
    }
    guard let best else { return nil }
    lines[best.entry.origin]?.removeHead()
    entries[best.entry.id] = nil
    return best.entry
  }

  /// Puts one back in its old place that is not blocked any more.
  mutating func unblock(_ id: Int) {
    guard aside.remove(id) != nil, let (entry, place) = entries[id] else { return }
    lines[entry.origin, default: Line()].insert(place)
  }

  /// The first of a line that is still there and not blocked; the others before it leave the line.
  private mutating func head(of origin: String, _ isBlocked: (Int) -> Bool) -> (entry: Entry, place: Place)? {
    while let place = lines[origin]?.head {
      if let found = entries[place.id] {
        if !isBlocked(place.id) { return found }
        aside.insert(place.id)
      }
      lines[origin]?.removeHead()
    }
    lines[origin] = nil
    return nil
  }
}
