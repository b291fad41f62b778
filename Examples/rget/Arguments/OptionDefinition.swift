/// One option: how it is spelled, what the help says about it and what it does.
struct OptionDefinition: Sendable {
  enum Action: Sendable {
    /// On, or off if it is given as `--no-NAME`; the last one counts.
    case flag(@Sendable (inout Options, Bool) -> Void)
    case value(placeholder: String, @Sendable (inout Options, String) throws(UsageError) -> Void)
    /// Ends the reading of arguments.
    case answer(Arguments)
    case answerWithValue(placeholder: String, @Sendable (String) throws(UsageError) -> Arguments)
  }

  /// What the shells can complete a value with.
  enum Completion: Equatable, Sendable {
    case none
    case files
    case directories
    case words([String])
  }

  let long: String
  let short: Character?
  let help: String
  let completion: Completion
  let action: Action

  init(
    _ long: String, short: Character? = nil, _ help: String, completion: Completion = .none, action: Action
  ) {
    self.long = long
    self.short = short
    self.help = help
    self.completion = completion
    self.action = action
  }

  var placeholder: String? {
    switch action {
    case .value(let placeholder, _), .answerWithValue(let placeholder, _): placeholder
    case .flag, .answer: nil
    }
  }

  /// `no-NAME` for a flag, which it turns off again.
  var negatedName: String? { if case .flag = action { "no-\(long)" } else { nil } }

  /// As it is typed, the short name first.
  var names: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(long)"] }

  /// As it stands in the help: `-o, --output FILE`, `--retry N`, `-q, --quiet`.
  var synopsis: String {
    let names = names.joined(separator: ", ")
    return placeholder.map { "\(names) \($0)" } ?? names
  }
}
