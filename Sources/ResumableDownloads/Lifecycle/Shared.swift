/// A value that many hold: one more holder costs one count, and not one for each text in it.
@dynamicMemberLookup
final class Shared<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }

  subscript<Member>(dynamicMember path: KeyPath<Value, Member>) -> Member { value[keyPath: path] }
}
