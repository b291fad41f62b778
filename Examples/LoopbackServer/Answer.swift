public import Foundation

/// What the server does in reply to one request: steps, played one after the other.
///
/// After the last step the connection lives on if HTTP/1.1 allows it: the client does not want it closed, the head
/// that was sent does not say `Connection: close`, and the body is as long as announced. Otherwise it is closed in
/// order, so an answer that is too short by mistake ends instead of hanging.
public struct Answer: Sendable {
  /// One thing that the server does.
  public enum Step: Sendable {
    /// Sends the bytes.
    case send(Data)
    /// Sends the bytes in pieces of `chunk`, with a pause after each.
    case sendSlowly(Data, chunk: Int, pauseMilliseconds: Int)
    /// Sends the offsets in `range` of a content, made as it goes, at most `bytesPerSecond` fast if that is not nil.
    case stream(Content, range: Range<Int64>, bytesPerSecond: Int64?)
    /// Does nothing for a while.
    case pause(milliseconds: Int)
    /// Blocks until the gate is open or the server stops.
    case wait(Gate)
    /// Opens the gate.
    case signal(Gate)
    /// Runs a closure on the connection's thread.
    case perform(@Sendable () -> Void)
    /// Plays the answer that is computed from the request.
    case compute(@Sendable (ReceivedRequest) -> Answer)
    /// Stays silent with the socket open until the client closes it or the server stops; the next step follows then.
    case hang
    /// Closes in order: sends FIN, then takes in what the client sends until it closes too, so that no RST is produced.
    case close
    /// Sends RST, once the client's side has confirmed what was sent before.
    case reset
    /// Stops listening: later connections are refused, existing ones live on.
    case closeListener
  }

  /// How an answer that is cut short ends.
  public enum Ending: Sendable {
    /// FIN.
    case close
    /// RST.
    case reset
    /// Silence with the socket open.
    case hang

    var step: Step {
      switch self {
      case .close: .close
      case .reset: .reset
      case .hang: .hang
      }
    }
  }

  /// The steps, in order.
  public var steps: [Step]

  /// An answer of these steps; none at all closes the connection in order without a byte.
  public init(_ steps: [Step]) {
    self.steps = steps
  }

  /// An answer that is made from the request when it comes.
  public static func from(_ make: @escaping @Sendable (ReceivedRequest) -> Answer) -> Answer {
    Answer([.compute(make)])
  }

  /// The same answer with further steps at its end.
  public func then(_ more: Step...) -> Answer { Answer(steps + more) }

  /// The same answer with further steps in front.
  public func after(_ first: Step...) -> Answer { Answer(first + steps) }
}
