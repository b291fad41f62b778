/// Shows progress as a line for every ten percent, or for every MiB while the length is not known.
public struct ProgressLine {
  private let prefix: String
  private var last: Int64 = 0

  /// - Parameter name: What is put in front of each line; nothing if empty.
  public init(_ name: String = "") {
    prefix = name.isEmpty ? "" : "\(name): "
  }

  /// Says how far the download is, if that is news.
  public mutating func show(_ received: Int64, of expected: Int64) {
    let step = expected > 0 ? received * 10 / expected : received >> 20
    guard step != last else { return }
    last = step
    say(prefix + (expected > 0 ? "\(step * 10) %" : "\(step) MiB"))
  }
}
