public import Foundation

extension ResumeData {
  /// Reads resume data that `URLSession` produced on an Apple system, as far as it can be used here: the address and
  /// the validators.
  ///
  /// The bytes that had arrived are on the other system, so a task made from the result starts over; with the partial
  /// file at hand use `init(importing:partialFile:partialsDirectory:)`. The format is not documented by Apple: this
  /// reads the shapes and keys that are known, a property list and a keyed archive of one. Header fields of the
  /// archived request are not taken over.
  ///
  /// - Parameter data: What `cancel(byProducingResumeData:)` gave there, at most 1 MiB.
  /// - Throws: ``ResumeDataError`` for other data and for addresses that are neither http nor https.
  public init(importing data: Data) throws(ResumeDataError) {
    let path = PartialDirectory.temporaryPath() + "/" + UUID.random().name + ".partial"
    try self.init(apple: AppleResumeData(data), partialPath: path)
  }

  /// Reads resume data of an Apple system together with the file that its temporary file was copied to, so that the
  /// download continues where it was.
  ///
  /// The bytes are copied into a new partial file, which takes as long as copying takes. Only as many are taken as the
  /// blob vouches for, where it says how many; whether they still belong to the server's file is found out on resume,
  /// as always.
  ///
  /// - Parameters:
  ///   - data: What `cancel(byProducingResumeData:)` gave there.
  ///   - partialFile: The bytes that had arrived; it stays where it is.
  ///   - partialsDirectory: The `URLSessionConfiguration.partialsDirectory` of the session that will continue.
  /// - Throws: ``ResumeDataError``, or `URLError` when a file cannot be read or written.
  public init(importing data: Data, partialFile: URL, partialsDirectory: URL? = nil) throws {
    let apple = try AppleResumeData(data)
    try self.init(importing: data)
    do throws(StorageError) {
      let directory = try PartialDirectory(privatePath: partialsDirectory?.path ?? PartialDirectory.temporaryPath())
      let partial = try directory.create(
        stem: UUID.random().name, copying: partialFile.path, length: apple.byteCount)
      do throws(StorageError) { try take(partial) } catch {
        partial.discard()
        throw error
      }
    } catch {
      throw ErrorTable.urlError(for: DownloadFailure(reason: .storage(error), url: apple.url))
    }
  }

  /// Points to the partial and gives it its journal.
  private mutating func take(_ partial: PartialFile) throws(StorageError) {
    do throws(ResumeDataError) { try recordPartial(path: partial.path) } catch {
      throw StorageError(operation: .create, code: EINVAL, path: partial.path)
    }
    self = updating(written: partial.length, synced: 0, isClosed: true)
    try partial.writeJournal(self)
    partial.release()
  }

  private init(apple: AppleResumeData, partialPath: String) throws(ResumeDataError) {
    let request = RequestParts(method: "GET", url: apple.url, headers: [], hasBody: false)
    guard let request else { throw .missingField(name: "url") }
    try self.init(
      request: request, identity: UUID.random(), partialPath: partialPath, createdAt: Date(),
      bootIdentifier: BootIdentifier.current)
    let validators = Validators(entityTag: apple.entityTag, lastModified: apple.lastModified)
    try recordResponse(validators: validators, total: nil, contentCoding: nil, lastURL: nil)
  }
}
