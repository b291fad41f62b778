/// Receives one exchange. All calls come on the loop's thread, in this order: the head once, body bytes, the end once.
///
/// An implementation may start and cancel other transfers from `transferDidEnd` only: libcurl forbids it inside the
/// other two (curl_multi_remove_handle(3)).
protocol TransferSink: AnyObject {
  /// The final head of the answer (1xx heads are skipped), as soon as it is complete.
  func transfer(_ transfer: Transfer, didReceive head: ResponseHead) -> SinkAnswer
  /// Body bytes, valid during the call only.
  func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> SinkAnswer
  /// The end: `nil` for a complete answer. Not called after `TransferLoop.cancel`.
  func transfer(_ transfer: Transfer, didEndWith error: TransferError?)
}

/// What the receiver wants after a call.
enum SinkAnswer {
  case proceed
  /// Takes the head and waits: no body byte comes before `Transfer.release`. No answer to body bytes.
  case hold
  /// Ends the exchange with `TransferError.Cause.stoppedByReceiver`; the connection closes.
  case stop
}
