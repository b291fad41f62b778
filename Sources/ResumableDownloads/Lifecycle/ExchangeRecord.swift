internal import Foundation

/// What is known of one exchange after its end, for metrics.
struct ExchangeRecord: Sendable {
  var url: String
  var method: String
  var requestFields: [HeaderField]
  var began: Date
  var times: TransferTimes
  var head: ResponseHead?
}
