import Foundation

/// Numbers for people.
enum Unit {
  /// A size in the unit that leaves few digits.
  static func bytes(_ count: Int64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB"]
    var (value, unit) = (Double(count), 0)
    while value >= 1024, unit < units.count - 1 {
      value /= 1024
      unit += 1
    }
    return "\(number(value)) \(units[unit])"
  }

  static func mebibytes(_ count: Double) -> String { fixed(count / Double(1 << 20), 1) }

  static func seconds(_ value: Double) -> String { fixed(value, value < 10 ? 3 : 2) }

  static func ratio(_ value: Double) -> String { fixed(value, 2) }

  /// Without decimals where there are none, else with at most two.
  static func number(_ value: Double) -> String {
    if value == value.rounded(), abs(value) < 1e15 { return String(Int64(value)) }
    return fixed(value, abs(value) < 100 ? 2 : 1)
  }

  static func fixed(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
}
