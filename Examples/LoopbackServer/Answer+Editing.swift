import Foundation

/// Changes to the body of an answer whose first step sends its head, as every ready-made response does.
///
/// Offsets count the bytes that follow the head on the wire; in a chunked answer they include the chunks' framing.
extension Answer {
  /// The same answer that ends after `count` bytes of body; the head still announces the whole.
  public func cut(after count: Int64, _ ending: Ending) -> Answer {
    Answer(split(at: count).before + [ending.step])
  }

  /// The same answer with further steps after `count` bytes of body.
  public func inserting(_ steps: Step..., after count: Int64) -> Answer {
    let (before, rest) = split(at: count)
    return Answer(before + steps + rest)
  }

  /// The same answer whose body is sent in pieces of `chunk` bytes with a pause after each.
  public func paced(chunk: Int, pauseMilliseconds: Int) -> Answer {
    var paced = Array(steps.prefix(1))
    for step in steps.dropFirst() {
      switch step {
      case .send(let data):
        paced.append(.sendSlowly(data, chunk: chunk, pauseMilliseconds: pauseMilliseconds))
      case .stream(let content, let range, _):
        let data = content.bytes(range)
        paced.append(.sendSlowly(data, chunk: chunk, pauseMilliseconds: pauseMilliseconds))
      default: paced.append(step)
      }
    }
    return Answer(paced)
  }

  private func split(at count: Int64) -> (before: [Step], rest: [Step]) {
    var (before, rest) = (Array(steps.prefix(1)), [Step]())
    var left = max(0, count)
    for step in steps.dropFirst() {
      let (first, second) = left > 0 ? step.split(at: left) : (nil, step)
      if let first {
        before.append(first)
        left -= first.byteCount
      }
      if let second { rest.append(second) }
    }
    return (before, rest)
  }
}

extension Answer.Step {
  /// How many bytes the step sends.
  fileprivate var byteCount: Int64 {
    switch self {
    case .send(let data), .sendSlowly(let data, _, _): Int64(data.count)
    case .stream(_, let range, _): Int64(range.count)
    default: 0
    }
  }

  /// The step cut in two after `count` bytes, which is more than none; steps that send nothing stay whole, in front.
  fileprivate func split(at count: Int64) -> (Self?, Self?) {
    guard byteCount > count else { return (self, nil) }
    switch self {
    case .send(let data):
      return (.send(data.prefix(Int(count))), .send(data.dropFirst(Int(count))))
    case .sendSlowly(let data, let chunk, let pause):
      return (
        .sendSlowly(data.prefix(Int(count)), chunk: chunk, pauseMilliseconds: pause),
        .sendSlowly(data.dropFirst(Int(count)), chunk: chunk, pauseMilliseconds: pause)
      )
    case .stream(let content, let range, let speed):
      let middle = range.lowerBound + count
      return (
        .stream(content, range: range.lowerBound..<middle, bytesPerSecond: speed),
        .stream(content, range: middle..<range.upperBound, bytesPerSecond: speed)
      )
    default: return (self, nil)
    }
  }
}
