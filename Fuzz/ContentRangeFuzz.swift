internal import Foundation

/// A Content-Range value: it is refused, or its numbers can be computed with.
@Sendable func fuzzContentRange(_ input: UnsafeRawBufferPointer) {
  let text = String(decoding: input, as: UTF8.self)
  switch ContentRange(text) {
  case .satisfied(let first, let last, let total)?:
    precondition(first >= 0 && first <= last && last < total ?? .max)
    let same = ContentRange("bytes \(first)-\(last)/\(total.map(String.init) ?? "*")")
    precondition(same == .satisfied(first: first, last: last, total: total), "another value when written again")
  case .unsatisfied(let total)?: precondition(total >= 0)
  case nil: break
  }
}
