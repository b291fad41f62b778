import Foundation

/// What the fields of a response that matter to a download say.
extension ResponseHead {
  /// The size of this response's body, as its framing states it.
  ///
  /// In HTTP/1 a transfer coding overrides the length (RFC 9112 section 6.3), so with one the length is absent.
  var contentLength: ContentLength {
    isTransferCoded ? .absent : ContentLength(values("Content-Length"))
  }

  /// The position of this response's body in the whole file.
  var contentRange: ContentRangeField { ContentRangeField(values("Content-Range")) }

  /// The content codings in lower case, or nil when the body is the file itself. `identity` is no coding (RFC 9110
  /// section 8.4.1), though some servers send it.
  var contentCoding: String? {
    guard let value = value("Content-Encoding") else { return nil }
    let codings = FieldSyntax.listElements(value).map { $0.lowercased() }.filter { $0 != "identity" }
    return codings.isEmpty ? nil : codings.joined(separator: ", ")
  }

  /// Whether the body is a list of parts with headers of their own (RFC 9110 section 14.6). It is never asked for, and
  /// its framing must not reach a file.
  var isMultipartByteRanges: Bool {
    guard let mediaType = value("Content-Type")?.utf8.prefix(while: { $0 != 0x3B }) else { return false }
    return FieldSyntax.sameIgnoringCase(FieldSyntax.trimmed(Substring(mediaType)), "multipart/byteranges")
  }

  /// Whether the server says that it does not do ranges (RFC 9110 section 14.3). Absence of the field says nothing.
  var refusesRanges: Bool {
    guard let value = value("Accept-Ranges"), value != "bytes" else { return false }
    let units = FieldSyntax.listElements(value).map { $0.lowercased() }
    return units.contains("none") && !units.contains("bytes")
  }

  /// What identifies the representation: entity tag, Last-Modified, and the Date that tells whether the latter is
  /// strong. Values too long or too odd to be sent back count as absent.
  var validators: Validators {
    Validators(
      entityTag: distinctValue("ETag").flatMap(EntityTag.init)?.raw,
      lastModified: distinctValue("Last-Modified").flatMap(Validators.usableDate),
      date: distinctValue("Date").flatMap(Validators.usableDate))
  }

  /// When the server would like to be asked again (RFC 9110 section 10.2.3); nil for anything it does not define.
  var retryAfter: RetryAfter? { distinctValue("Retry-After").flatMap(RetryAfter.init) }

  /// Whether an HTTP/1 body comes in a transfer coding. Later versions have none.
  private var isTransferCoded: Bool {
    guard let value = value("Transfer-Encoding"), version.hasPrefix("HTTP/1") else { return false }
    return FieldSyntax.listElements(value).contains { $0.lowercased() != "identity" }
  }
}

/// The value of `Retry-After`.
enum RetryAfter: Sendable, Equatable {
  /// So many seconds after the response.
  case seconds(Int64)
  /// At this time.
  case date(Date)

  /// Reads either form; nil for anything else, so that garbage cannot become a wait of zero.
  init?(_ text: String) {
    if let seconds = FieldSyntax.number(text) {
      self = .seconds(seconds)
    } else if let date = HTTPDate.parse(text) {
      self = .date(date)
    } else {
      return nil
    }
  }
}
