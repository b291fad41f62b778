/// One header field as it stands in a message (RFC 9110 section 5).
struct HeaderField: Sendable, Equatable, Codable {
  var name: String
  var value: String
}
