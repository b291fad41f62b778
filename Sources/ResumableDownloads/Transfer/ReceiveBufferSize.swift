/// How large the buffer of the next exchange is (CURLOPT_BUFFERSIZE(3)).
///
/// A large one takes fewer reads. But libcurl gets it anew for each exchange, and where one small file follows another,
/// fresh pages and a cold cache cost more than the reads.
struct ReceiveBufferSize {
  /// libcurl's maximum in 7.68.
  static let large = 512 * 1024
  static let small = 64 * 1024
  /// So many small bodies in a row make the next one likely to be small. A large one that follows would take longer, so
  /// a few pages and lists before an image do not count.
  private static let row = 16

  private var smallBodies = 0

  var bytes: Int { smallBodies < Self.row ? Self.large : Self.small }

  /// Notes how long a body was; no body at all, as of a redirect, says nothing.
  mutating func note(bodyBytes: Int64) {
    guard bodyBytes > 0 else { return }
    smallBodies = bodyBytes <= Self.large ? smallBodies + 1 : 0
  }
}
