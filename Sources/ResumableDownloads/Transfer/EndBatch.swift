/// Hears, on the loop's thread, that exchanges are about to be ended one after the other, and that all of them are.
///
/// What would be done for each end alone can so be done once for all that one turn of the loop has brought.
protocol EndBatch: AnyObject, Sendable {
  func willEndExchanges()
  func didEndExchanges()
}
