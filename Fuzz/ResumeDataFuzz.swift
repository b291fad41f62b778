internal import Foundation

/// Resume data as a hostile program would make it: it is refused, or it is a value that says the same when it is
/// written and read again.
@Sendable func fuzzResumeData(_ input: UnsafeRawBufferPointer) {
  let blob = Data(input)
  do throws(ResumeDataError) {
    let record = try ResumeData(blob)
    let again = try ResumeData(record.encoded)
    precondition(again == record, "another value after a round trip")
    precondition(record.record.syncedOffset <= record.record.offset, "more synced than written")
    precondition(record.record.partialPath.hasSuffix("/" + record.record.partialName), "two names for one partial")
    for length in [0, 1, Int64.max] {
      let trusted = record.trustedLength(partialLength: length, bootIdentifier: record.bootIdentifier ?? "")
      precondition((0...length).contains(trusted), "trusts more than there is")
    }
  } catch {
    precondition(error.description.utf8.count < 1000, "a long text about a blob")
  }
}
