import Foundation

/// The checks that stand between a blob and the disk or the network.
extension ResumeDataRecord {
  /// Checks every field.
  /// - Returns: the URL of the request.
  func validated() throws(ResumeDataError) -> URL {
    guard method == "GET" else { throw .method(method) }
    let requestURL = try Self.checkedURL(url, name: "url")
    if let lastURL { _ = try Self.checkedURL(lastURL, name: "lastURL") }
    try Self.check(headers)
    try checkCounts()
    try checkValidators()
    try Self.checkPath(partialPath, name: "partialPath")
    try checkPartialName()
    if let destination { try Self.checkPath(destination, name: "destination") }
    return requestURL
  }

  /// Room for the longest signed URLs.
  static let maximumURLByteCount = 32 * 1024
  private static let maximumHeaderCount = 256
  static let maximumHeaderByteCount = 64 * 1024
  /// `PATH_MAX` of Linux, which counts the final zero.
  private static let maximumPathByteCount = 4095
  /// `NAME_MAX` of Linux.
  private static let maximumNameByteCount = 255
  /// For short technical strings.
  static let maximumTextByteCount = 256

  /// An absolute http or https URL with a host, and one that `URL` leaves exactly as it is: a signature made over the
  /// text must still fit after the round trip.
  static func checkedURL(_ text: String, name: String) throws(ResumeDataError) -> URL {
    guard text.utf8.count <= maximumURLByteCount else { throw .tooLarge }
    guard !FieldSyntax.hasControlCharacters(text), let url = URL(string: text) else { throw .invalidField(name: name) }
    let scheme = url.scheme ?? ""
    guard ["http", "https"].contains(scheme.lowercased()) else { throw .scheme(scheme) }
    guard let host = url.host(), !host.isEmpty, FieldSyntax.sameOctets(url.absoluteString, text) else {
      throw .invalidField(name: name)
    }
    return url
  }

  /// Fields that can be sent again without becoming other fields.
  static func check(_ headers: [HeaderField]) throws(ResumeDataError) {
    let size = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    guard headers.count <= maximumHeaderCount, size <= maximumHeaderByteCount else { throw .tooLarge }
    guard headers.allSatisfy(\.isWellFormed) else { throw .invalidField(name: "headers") }
  }

  /// `0 <= syncedOffset <= offset <= total`
  private func checkCounts() throws(ResumeDataError) {
    if let total, total < 0 { throw .numberOutOfRange(name: "total") }
    guard (0...(total ?? .max)).contains(offset) else { throw .numberOutOfRange(name: "offset") }
    guard (0...offset).contains(syncedOffset) else { throw .numberOutOfRange(name: "syncedOffset") }
  }

  /// Validators are sent back verbatim, and the rest is compared with text of our own.
  private func checkValidators() throws(ResumeDataError) {
    if let entityTag, EntityTag(entityTag)?.raw != entityTag { throw .invalidField(name: "entityTag") }
    if let lastModified, Validators.usableDate(lastModified) != lastModified {
      throw .invalidField(name: "lastModified")
    }
    if let responseDate, Validators.usableDate(responseDate) != responseDate {
      throw .invalidField(name: "responseDate")
    }
    if let contentCoding, !Self.isShortText(contentCoding) { throw .invalidField(name: "contentCoding") }
    if let bootIdentifier, !Self.isShortText(bootIdentifier) { throw .invalidField(name: "bootIdentifier") }
  }

  /// Whether the text is not empty, not long, and in one line.
  private static func isShortText(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= maximumTextByteCount && !FieldSyntax.hasControlCharacters(text)
  }
}

/// Paths.
extension ResumeDataRecord {
  /// An absolute path that is what it seems: no empty component, no `.` or `..`, no zero byte that would end it early.
  static func checkPath(_ path: String, name: String) throws(ResumeDataError) {
    guard path.utf8.count <= maximumPathByteCount, path.utf8.first == 0x2F else { throw .unsafePath(name: name) }
    let components = path.utf8.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false)
    guard components.allSatisfy(isPlainComponent) else { throw .unsafePath(name: name) }
  }

  /// A single component that names a partial file, the same one that the path names. The ending keeps a forged blob
  /// away from every file that is not a partial.
  private func checkPartialName() throws(ResumeDataError) {
    let name = partialName.utf8
    let ending = ".partial".utf8
    guard Self.isPlainComponent(name[...]), name.count > ending.count, name.suffix(ending.count).elementsEqual(ending)
    else { throw .unsafePath(name: "partialName") }
    let last = partialPath.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).last
    guard let last, last.elementsEqual(name) else { throw .unsafePath(name: "partialPath") }
  }

  /// Whether the bytes name a file or folder in the folder they are used in.
  private static func isPlainComponent(_ bytes: Substring.UTF8View) -> Bool {
    guard !bytes.isEmpty, bytes.count <= maximumNameByteCount else { return false }
    guard !bytes.elementsEqual(".".utf8), !bytes.elementsEqual("..".utf8) else { return false }
    return !bytes.contains { $0 == 0 || $0 == 0x2F }
  }
}
