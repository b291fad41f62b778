/// What somebody may have meant.
enum Suggestion {
  /// More changes than this make another word, not a slip.
  private static let maximumDistance = 3

  /// `; did you mean --retry?`, or nothing if no option comes near.
  static func clause(for name: String) -> String {
    nearest(to: name).map { "; did you mean --\($0)?" } ?? ""
  }

  /// The long name that takes the fewest changes; one that begins with what was typed comes first.
  private static func nearest(to name: String) -> String? {
    if name.count >= 2, let longer = names.first(where: { $0.hasPrefix(name) }) { return longer }
    let distances = names.map { (name: $0, distance: distance(from: name, to: $0)) }
    guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= min(maximumDistance, best.name.count / 2) ? best.name : nil
  }

  private static let names = OptionTable.all.flatMap { option in
    [option.long] + [option.negatedName].compactMap { $0 }
  }

  /// How many letters have to be inserted, removed, replaced or swapped with their neighbour.
  static func distance(from first: String, to second: String) -> Int {
    let (first, second) = (Array(first), Array(second))
    var previous = [Int](repeating: 0, count: second.count + 1)
    var current = Array(0...second.count)
    for row in first.indices {
      let beforePrevious = previous
      previous = current
      current[0] = row + 1
      for column in second.indices {
        let replaced = previous[column] + (first[row] == second[column] ? 0 : 1)
        current[column + 1] = min(replaced, previous[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
          current[column + 1] = min(current[column + 1], beforePrevious[column - 1] + 1)
        }
      }
    }
    return current[second.count]
  }
}
