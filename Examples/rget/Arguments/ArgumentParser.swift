/// Reads arguments with the habits of GNU programs: options anywhere, `--name=value`, `-j8`, grouped flags,
/// `--no-name`, and `--` before what only looks like an option.
struct ArgumentParser {
  private(set) var options = Options()
  private var rest: ArraySlice<String>

  init(_ arguments: [String]) {
    rest = arguments[...]
  }

  /// Reads everything into `options`; returns what to do instead if an option asks for that.
  mutating func parse() throws(UsageError) -> Arguments? {
    while let argument = rest.popFirst() {
      if argument == "--" {
        options.urls += rest
        return nil
      }
      let answer: Arguments?
      if argument.hasPrefix("--") {
        answer = try parseLong(argument)
      } else if argument.hasPrefix("-"), argument.count > 1 {
        answer = try parseGroup(argument)
      } else {
        options.urls.append(argument)
        continue
      }
      if let answer { return answer }
    }
    return nil
  }

  private mutating func parseLong(_ argument: String) throws(UsageError) -> Arguments? {
    let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let (name, value) = (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
    if let option = OptionTable.all.first(where: { $0.long == name }) {
      return try apply(option, name: "--\(name)", value: value, isOn: true)
    }
    if let option = OptionTable.all.first(where: { $0.negatedName == name }) {
      return try apply(option, name: "--\(name)", value: value, isOn: false)
    }
    throw UsageError(reason: "unknown option --\(name)" + Suggestion.clause(for: name))
  }

  private mutating func parseGroup(_ argument: String) throws(UsageError) -> Arguments? {
    var letters = argument.dropFirst()
    while let letter = letters.popFirst() {
      guard let option = OptionTable.all.first(where: { $0.short == letter }) else {
        // `-quiet` is more likely meant as a long option than as seven letters.
        let word = String(argument.dropFirst())
        throw UsageError(
          reason: word.count > 2
            ? "unknown option \(argument)" + Suggestion.clause(for: word) : "unknown option -\(letter)")
      }
      var value: String?
      if option.placeholder != nil, !letters.isEmpty {
        value = String(letters)
        letters = ""
      }
      if let answer = try apply(option, name: "-\(letter)", value: value, isOn: true) { return answer }
    }
    return nil
  }

  private mutating func apply(
    _ option: OptionDefinition, name: String, value: String?, isOn: Bool
  ) throws(UsageError) -> Arguments? {
    switch option.action {
    case .flag(let set):
      guard value == nil else { throw UsageError(reason: "\(name) takes no value") }
      set(&options, isOn)
      return nil
    case .answer(let answer):
      guard value == nil else { throw UsageError(reason: "\(name) takes no value") }
      return answer
    case .value(let placeholder, let set):
      try set(&options, next(value, name: name, placeholder))
      return nil
    case .answerWithValue(let placeholder, let answer):
      return try answer(next(value, name: name, placeholder))
    }
  }

  private mutating func next(_ value: String?, name: String, _ placeholder: String) throws(UsageError) -> String {
    if let value = value ?? rest.popFirst() { return value }
    throw UsageError(reason: "\(name) needs a value: \(placeholder)")
  }
}
